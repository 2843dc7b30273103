"""Tests of running an agent on the embedded model."""
