"""The folder that a run works in, and the files in it."""
