"""The main screen and what works for it."""
