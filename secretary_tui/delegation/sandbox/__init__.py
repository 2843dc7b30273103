"""The walls around what a run starts."""
