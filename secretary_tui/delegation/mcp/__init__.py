"""MCP servers of a run."""
