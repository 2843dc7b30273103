"""The product's own colour themes: one quiet accent, states told by glyphs as well as colour."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="secretary-dark",
    primary="#7aa2c9",
    secondary="#8fae9b",
    accent="#d7a65f",
    foreground="#d6d9de",
    background="#14171c",
    surface="#191d23",
    panel="#20252d",
    success="#7fb685",
    warning="#d9a85b",
    error="#d9757a",
    dark=True,
)
LIGHT = Theme(
    name="secretary-light",
    primary="#2f6299",
    secondary="#4d7a60",
    accent="#96590a",
    foreground="#23272e",
    background="#fbfaf7",
    surface="#f4f2ed",
    panel="#e9e6df",
    success="#2f7a3d",
    warning="#8f5a00",
    error="#b3373f",
    dark=False,
)
CONTRAST = Theme(
    name="secretary-contrast",
    primary="#66c2ff",
    secondary="#9be29b",
    accent="#ffd75f",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    success="#5fff87",
    warning="#ffd75f",
    error="#ff8787",
    dark=True,
    text_alpha=1.0,
)
THEMES = (DARK, LIGHT, CONTRAST)
