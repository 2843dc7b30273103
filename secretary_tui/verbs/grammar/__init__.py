"""What may be typed: verbs, options, help and completion."""
