"""A stored run as a document."""
