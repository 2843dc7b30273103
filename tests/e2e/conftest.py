"""Fixtures of this room."""

from tests.models import smollm2

__all__ = ["smollm2"]
