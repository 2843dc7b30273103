"""Attacks seen on agent tools, tried for real: each sees the safe outcome."""
