"""The verb `agents`."""
