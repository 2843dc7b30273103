"""One definition: its file, its fields, and what it says of an agent."""
