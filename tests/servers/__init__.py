"""Servers of our own that the tests talk to over real sockets."""
