"""The verb `sessions`."""
