"""Where definitions lie, and how they are collected."""
