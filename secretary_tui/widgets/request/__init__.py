"""The box that takes the request."""
