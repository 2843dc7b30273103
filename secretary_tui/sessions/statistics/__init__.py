"""What the runs and the decisions add up to."""
