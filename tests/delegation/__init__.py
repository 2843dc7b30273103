"""Tests of the delegation room."""
