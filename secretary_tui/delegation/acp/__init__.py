"""A run that an agent of others carries out."""
