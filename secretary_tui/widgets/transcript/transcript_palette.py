"""The colours of the transcript: one Rich style per kind of text, read from the theme once.

The styles come from component classes, so `styles/transcript.tcss` and the theme decide them and
rendering needs no widget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.style import Style

from secretary_tui.widgets.themes import AGENT_COLORS, mark_style

if TYPE_CHECKING:
    from textual.widget import Widget

NAMES = (
    "user",
    "muted",
    "strong",
    "heading",
    "link",
    "quote",
    "mark",
    "code",
    "code-inline",
    "code-comment",
    "code-keyword",
    "code-string",
    "code-number",
    "code-name",
    "diff-added",
    "diff-removed",
    "diff-hunk",
    "info",
    "success",
    "warning",
    "error",
    "cursor",
    "found",
    "more",
)
"""What has a style of its own; `transcript--NAME` is its component class."""

COMPONENT_CLASSES = frozenset(f"transcript--{name}" for name in NAMES)


@dataclass(frozen=True, slots=True)
class Palette:
    """Styles by name. An unknown name is plain text, so a palette may be empty (in tests)."""

    styles: Mapping[str, Style] = field(default_factory=dict)
    marks: bool = False
    """Whether to keep marks that colour otherwise replaces, such as backticks (NO_COLOR)."""

    def __getitem__(self, name: str) -> Style:
        """The style called `name`."""
        return self.styles.get(name, _PLAIN)

    @property
    def cursor(self) -> Style:
        """The style of the current line; seen without colour too."""
        return self["cursor"] + Style(reverse=True) if self.marks else self["cursor"]

    @property
    def found(self) -> Style:
        """The style of what was searched; seen without colour too."""
        return self["found"] + Style(reverse=True) if self.marks else self["found"]


_PLAIN = Style()


def read_palette(widget: Widget) -> Palette:
    """Read the component styles of a widget that declares `COMPONENT_CLASSES`."""
    styles: dict[str, Style] = {}
    for name in NAMES:
        whole = widget.get_component_rich_style(f"transcript--{name}")
        own = widget.get_component_rich_style(f"transcript--{name}", partial=True)
        # The whole style resolves automatic and translucent colours against the background; the
        # background itself is taken only where the rule sets one, so that focus may tint it.
        own += Style(color=whole.color, bgcolor=whole.bgcolor if own.bgcolor else None)
        styles[name] = own
    styles |= {f"agent-{name}": mark_style(widget.app, name) for name in AGENT_COLORS}
    return Palette(styles, marks=widget.app.no_color)
