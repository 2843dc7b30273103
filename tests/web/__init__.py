"""Tests of the screen in a browser."""
