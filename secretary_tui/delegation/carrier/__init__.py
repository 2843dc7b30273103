"""What every carrier of a run has in common: how it opens, ends, and is steered."""
