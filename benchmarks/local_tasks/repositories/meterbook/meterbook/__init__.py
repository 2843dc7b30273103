"""A book of utility meter readings."""
