"""Settings, set-up and themes."""
