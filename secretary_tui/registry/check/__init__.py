"""What is wrong with a definition, and how it is repaired."""
