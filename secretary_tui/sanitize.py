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
_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Unicode's Default_Ignorable_Code_Point: shown as nothing at all."""
_BLANKS = "\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000"
"""Shown like a space or a new line, and neither to a shell."""
_HIDDEN = re.compile(f"[{_IGNORABLE}{_BLANKS}]")
_INVISIBLE = re.compile(f"[{_IGNORABLE}]")
_ODD_BLANK = re.compile(f"[{_BLANKS}]")
_BLANK_RUN = re.compile(rf"[ \t{_BLANKS}{_IGNORABLE}]{{20,}}|\n{{6,}}")
_LONG_LINE = re.compile(r"[^ \t\n]{501}")
_NAMED = 4
"""Kinds of character that a warning names; more would hide the sentence."""


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
    """Show what hides: controls, bidi, zero-width characters and odd blanks as visible escapes.

    For text a user must judge (a command, a diff); newlines and tabs stay as they are.
    """
    shown = _CONTROLS.sub(lambda m: f"\\x{ord(m[0]):02x}", text)
    shown = _HIDDEN.sub(_escape, shown)
    return _SURROGATES.sub("\ufffd", shown)


def oddities(text: str) -> tuple[str, ...]:
    """Name what the eye may miss in a command or diff; empty for ordinary text."""
    found = []
    if invisible := _INVISIBLE.findall(text):
        found.append(f"contains invisible characters ({_names(invisible)})")
    if blanks := _ODD_BLANK.findall(text):
        found.append(f"contains blanks other than spaces ({_names(blanks)})")
    if _CONTROLS.search(text.replace("\r\n", "\n")):
        found.append("contains control characters")
    if _BLANK_RUN.search(text):
        found.append("contains a long run of blanks: read on to the end")
    if _LONG_LINE.search(text):
        found.append("contains more than 500 characters without a blank: read on to the end")
    return tuple(found)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _names(characters: list[str]) -> str:
    """The distinct characters as Unicode numbers, such as `U+200B, U+00A0`."""
    distinct = list(dict.fromkeys(characters))
    names = ", ".join(f"U+{ord(character):04X}" for character in distinct[:_NAMED])
    return f"{names} and more" if len(distinct) > _NAMED else names
