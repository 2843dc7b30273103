"""The project and the server of the screens' tests, for the app in its terminal."""

from tests.screens.conftest import project, quick, serve

__all__ = ["project", "quick", "serve"]
