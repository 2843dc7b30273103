"""The prompt of a run, and what goes into it."""
