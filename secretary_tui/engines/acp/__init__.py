"""Agents of others, spoken to by the Agent Client Protocol."""
