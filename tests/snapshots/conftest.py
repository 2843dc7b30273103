"""The project and the server of the screens' tests, for the pictures of them too."""

from tests.screens.conftest import project, quick, serve

__all__ = ["project", "quick", "serve"]
