"""The tools of a run."""
