"""What a run says and does, as lines."""
