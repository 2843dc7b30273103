"""A trusted project with a small library, as for the verbs."""

from tests.verbs.conftest import project

__all__ = ["project"]
