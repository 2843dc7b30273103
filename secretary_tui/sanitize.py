"""Clean text that comes from outside before anything shows or stores it.

The terminal is an output device that obeys: escape sequences in an agent's description, a file
name or a model's answer would be carried out. Text is cleaned at the boundary where it enters.
"""

from __future__ import annotations

import re

_SEQUENCES = re.compile(
    r"\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, with whichever terminator
    r"|\x1b[PX^_][^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]?"  # any other escape
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BIDI = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_SUSPECT = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Whatever `clean` takes away holds one of these: most text is passed after one look."""
_HIDDEN = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_BLANK_RUN = re.compile(r"[ \t\u00a0]{20,}|\n{6,}")


def clean(text: str) -> str:
    """Give text that is safe to print: no control sequence, control character or bidi override.

    Newlines and tabs stay; CR LF becomes LF; lone surrogates become U+FFFD so that writing it as
    UTF-8 cannot fail. Linear in the length of the text.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    if not _SUSPECT.search(text):
        return text
    if "\x1b" in text or "\x9b" in text:
        text = _SEQUENCES.sub("", text)
    text = _CONTROLS.sub("", text)
    text = _BIDI.sub("", text)
    return _SURROGATES.sub("\ufffd", text)


def clean_line(text: str) -> str:
    """Like `clean`, on one line: every run of white space becomes one space."""
    return " ".join(clean(text).split())


def reveal(text: str) -> str:
    """Show what hides: controls, bidi and zero-width characters as visible escapes.

    For text a user must judge (a command, a diff); newlines and tabs stay as they are.
    """
    shown = _CONTROLS.sub(lambda m: f"\\x{ord(m[0]):02x}", text)
    shown = _HIDDEN.sub(lambda m: f"\\u{ord(m[0]):04x}", shown)
    return _SURROGATES.sub("\ufffd", shown)


def oddities(text: str) -> tuple[str, ...]:
    """Name what the eye may miss in a command or diff; empty for ordinary text."""
    found = []
    if _HIDDEN.search(text):
        found.append("contains invisible characters")
    if _CONTROLS.search(text.replace("\r\n", "\n")):
        found.append("contains control characters")
    if _BLANK_RUN.search(text):
        found.append("contains a long run of blanks: read on to the end")
    return tuple(found)
