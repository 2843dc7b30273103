"""What a request names is looked up by rules, before any model is asked."""
