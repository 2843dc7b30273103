"""What kind of message is this, and what happens next: the dispatch flow as a graph (seed 001)."""
