"""The loop of model calls and tool calls."""
