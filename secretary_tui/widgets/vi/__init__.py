"""The keys of vi."""
