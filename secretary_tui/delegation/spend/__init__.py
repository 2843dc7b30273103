"""What a run may cost, and what it has cost."""
