"""The terminal itself, below every widget and screen: what is written, read and signalled."""
