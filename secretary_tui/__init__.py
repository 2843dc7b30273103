"""secretary-tui: a keyboard-driven terminal secretary for a library of agents."""

__version__ = "0.1.0"
