"""The language Go, whose name is a stop word: read as `golang` where the language is meant."""

from __future__ import annotations

import re

_VERB = "ahead|back|beyond|deep|deeper|down|further|live|over|through|to|up"
_THINGS = (
    "api|app|backend|binary|build|channels?|cli|code|compiler|developer|doc|fmt|generics|get"
    "|handlers?|interfaces?|lib|library|microservices?|mod|modules?|package|programs?|programmer"
    "|project|routines?|run|server|services?|structs?|tests?|tooling|toolchain|vet|worker"
)
_GO = re.compile(
    rf"(?:(?<=[\w,;)*-] )|(?<=[(/`]))Go(?=[\s,.;:!?/)`]|$)(?! (?:{_VERB})\b)"
    rf"|\b[Gg]o(?= (?:{_THINGS})\b)"
    r"|(?<=\bin )go\b(?=\s*(?:$|[,.;:!?)]))"
)
_IN_A_NAME = re.compile(r"(?<![^\W_])go(?![^\W_])(?!-to)", re.I)


def go_as_golang(text: str) -> str:
    """Write `golang` for Go where a text means the language: within a sentence, or `go test`."""
    return _GO.sub("golang", text) if "go" in text or "Go" in text else text


def golang_in_name(name: str) -> str:
    """The same for an agent's name: `go-reviewer`, but not `go-to-market`."""
    return _IN_A_NAME.sub("golang", name)
