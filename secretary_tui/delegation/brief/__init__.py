"""What an agent is told before it begins."""
