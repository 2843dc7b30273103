"""The embedded model: its weights, its process, its server."""
