"""The meaning of whole sentences, from a small model on this machine."""
