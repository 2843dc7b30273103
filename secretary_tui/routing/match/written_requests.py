"""The requests that authors write into their agents' descriptions, as `<example>` dialogues.

    <example>
    Context: …
    user: "Split the users table without downtime"
    assistant: "I'll use the data-migrator agent …"
    </example>

Quotes may be single, curly or missing, the speaker bold, and all of it on one line, with `\\n` as
two characters.
"""

from __future__ import annotations

import re

MOST_EXAMPLES = 6
"""Requests taken from one description; published ones have 3 to 6."""
_MOST_TEXT = 20_000
_LONGEST = 400
_EXAMPLE = re.compile(r"<example>(.*?)(?:</example>|\Z)", re.S | re.I)
_SAID = re.compile(
    r"\b(?:user|human)\**:\**[ \t]*([^\n]*?)(?=\n|\Z|\**\bassistant\**:|</?commentary)", re.I
)
# Possessive, and from the first backslash on: thousands of them are looked at once.
_ESCAPED = re.compile(r"""(?<!\\)\\++([n"'])""")
_QUOTES = "\"'“”‘’ \t*"


def written_requests(description: str) -> tuple[str, ...]:
    """What users say in the examples of a description: distinct, in order, at most six."""
    if "<example" not in description.lower():
        return ()
    text = _ESCAPED.sub(lambda m: "\n" if m[1] == "n" else m[1], description[:_MOST_TEXT])
    found = (
        said[1].strip(_QUOTES)[:_LONGEST]
        for example in _EXAMPLE.finditer(text)
        for said in _SAID.finditer(example[1])
    )
    return tuple(dict.fromkeys(filter(None, found)))[:MOST_EXAMPLES]
