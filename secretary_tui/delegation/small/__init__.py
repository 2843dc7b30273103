"""Runs an agent on the embedded model, which is asked one thing at a time."""
