"""Read one agent definition: a markdown file with YAML frontmatter.

Tolerant, so that a user's library loads as it is, and honest: each liberty taken is a finding with
file and line. A file without frontmatter is documentation, not an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from frontmatter.default_handlers import YAMLHandler

from secretary_tui.registry.definition.definition_file import read_definition
from secretary_tui.registry.definition.dialects import dialect_of, model_of, name_of_file
from secretary_tui.registry.definition.fields import KNOWN_FIELDS, TEXT_FIELDS, Fields, safe_name
from secretary_tui.registry.definition.findings import noted, quoted, refused, repaired
from secretary_tui.registry.definition.rescue import KEY, rescue
from secretary_tui.registry.definition.spec import AgentSpec, Dialect, Finding, Source
from secretary_tui.strict_yaml import StrictYamlError, load_mapping

_HANDLER = YAMLHandler()
_INDENTED_FENCE = re.compile(r"([ \t]+)-{3,}[ \t]*(?:\n|\Z)")
_HEADING = re.compile(r"#{1,6}[ \t]+")
_MAX_FRONTMATTER = 128_000
_OPENING = 10_000
"""How much of the text is searched for a description."""
NO_DESCRIPTION = "no-description"
"""The kind of the finding that the text had to give the description."""
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


@dataclass(frozen=True, slots=True)
class ParseResult:
    """What a file gave: an agent, or the reason why not. Neither means documentation."""

    spec: AgentSpec | None
    findings: tuple[Finding, ...] = ()
    rescued: bool = False
    """Whether the frontmatter (not just a field) had to be read otherwise than as YAML."""

    @property
    def is_documentation(self) -> bool:
        """Whether the file has no frontmatter and was passed over."""
        return self.spec is None and not self.findings


@dataclass(slots=True)
class FrontmatterPage:
    """A file taken apart at its fences."""

    path: Path
    frontmatter: str = ""
    body: str = ""
    first_line: int = 1
    """Where the frontmatter starts, from 1."""
    findings: list[Finding] = field(default_factory=list)
    rescued: bool = False

    def line_of(self, key: str) -> int | None:
        """The line of a top-level key."""
        for number, line in enumerate(self.frontmatter.split("\n")):
            match = KEY.match(line.lstrip("\"' "))
            if match and match[1] == key:
                return self.first_line + number
        return None

    def on_duplicate(self, key: str, line: int) -> None:
        """Report a key that is given twice."""
        message = f"{quoted(key)} is given twice; the last one counts. Remove the other"
        self.findings.append(noted(self.path, message, self.first_line + line))


def read_agent(path: Path, source: Source, namespace: str = "") -> ParseResult:
    """Read the definition at `path`. Never raises: what is wrong stands in the findings.

    `namespace` is `plugin` or `plugin:sub` for a plugin's agents and empty for all others.
    """
    definition = read_definition(path)
    if isinstance(definition, Finding):
        return ParseResult(None, (definition,))
    page = take_apart(path, definition.text)
    if page is None:
        return ParseResult(None, _without_fences(path, definition.text))
    if isinstance(page, Finding):
        return ParseResult(None, (page,))
    page.findings[:0] = definition.findings
    values = load_values(page)
    if isinstance(values, Finding):
        return ParseResult(None, (values,))
    if values is None:
        return ParseResult(None)
    return build(page, definition.digest, values, source, namespace)


def _without_fences(path: Path, text: str) -> tuple[Finding, ...]:
    """An error for a file that begins with an agent's fields and lacks the lines around them."""
    start = text.lstrip()
    match = KEY.match(start)
    if match is None or match[1] not in ("name", "description"):
        return ()
    line = 1 + text.count("\n", 0, len(text) - len(start))
    message = "the fields stand without a line --- above and below, so this is no agent; add both"
    return (refused(path, message, line),)


def take_apart(path: Path, text: str) -> FrontmatterPage | Finding | None:
    """Split at the fences; None for documentation, a finding for a file that is half written."""
    start = text.lstrip()
    findings = []
    line = 1 + text.count("\n", 0, len(text) - len(start))
    if (moved := at_the_margin(text)) is not None:
        start = moved
        message = "the frontmatter is indented; move its --- lines to the left margin"
        findings.append(repaired(path, message, line))
    boundary = _HANDLER.FM_BOUNDARY
    opening = boundary.match(start) if boundary else None
    if opening is None:
        return None
    try:
        frontmatter, body = _HANDLER.split(start)
    except ValueError:
        first = start[opening.end() :].lstrip("\n").split("\n", 1)[0]
        if not KEY.match(first):
            return None
        message = "the frontmatter that starts here has no end; close it with a line ---"
        return refused(path, message, line)
    line += start.count("\n", 0, opening.end())
    if len(frontmatter) > _MAX_FRONTMATTER:
        return refused(path, "the frontmatter is longer than 128 kB; shorten it", line)
    return FrontmatterPage(path, frontmatter, body.strip(), line, findings, bool(findings))


def at_the_margin(text: str) -> str | None:
    """The text with indented frontmatter, and what is indented as far, moved to the left margin.

    Blank lines before it go. None when the frontmatter is not indented.
    """
    start = len(text) - len(text.lstrip())
    indented = _INDENTED_FENCE.match(text, text.rfind("\n", 0, start) + 1)
    if indented is None:
        return None
    return "\n".join(row.removeprefix(indented[1]) for row in text.split("\n")).lstrip()


def load_values(page: FrontmatterPage) -> dict[str, Any] | Finding | None:
    """Strict first, then by rescue. None for text between two rules that is no frontmatter."""
    duplicates: list[tuple[str, int]] = []

    def remember(key: str, line: int) -> None:
        duplicates.append((key, line))

    fault = None
    try:
        values = load_mapping(page.frontmatter, as_text=TEXT_FIELDS, on_duplicate=remember)
    except StrictYamlError as error:
        fault = error
        duplicates.clear()
        values = _rescue(page, error, remember)
    for key, line in duplicates[:5]:
        page.on_duplicate(key, line)
    if not values:
        if fault is not None and ":" in page.frontmatter:
            message = f"the frontmatter is not valid YAML ({fault}) and holds no `key: value` line"
            return refused(page.path, message, page.first_line + fault.line)
        return None
    return values


def _rescue(
    page: FrontmatterPage, fault: StrictYamlError, on_duplicate: Callable[[str, int], None]
) -> dict[str, Any]:
    page.rescued = True
    rescued = rescue(
        page.frontmatter, known=KNOWN_FIELDS, as_text=TEXT_FIELDS, on_duplicate=on_duplicate
    )
    for key, line, why in rescued.repairs[:5]:
        message = f"{key} is not valid YAML ({why}), so it was read as plain text; put it in quotes"
        page.findings.append(repaired(page.path, message, page.first_line + line))
    if not rescued.repairs:
        message = f"the frontmatter is not valid YAML ({fault}), so it was read line by line"
        page.findings.append(repaired(page.path, message, page.first_line + fault.line))
    return rescued.values


def build(
    page: FrontmatterPage, digest: str, values: dict[str, Any], source: Source, namespace: str = ""
) -> ParseResult:
    """Make the agent of a page whose frontmatter holds `values`."""
    path = page.path
    dialect = source.dialect or dialect_of(path, values)
    fields = Fields(values, path, page.line_of)
    name, description = fields.name(), fields.description()
    if not name and not description:
        message = "the frontmatter has neither name nor description, so this is no agent; add both"
        return ParseResult(None, (refused(path, message, page.first_line),))
    if not name:
        name = name_from_file(path)
        if not name:
            message = "there is no usable name, in the frontmatter or as file name; add `name:`"
            return ParseResult(None, (refused(path, message, page.line_of("name")),))
        if dialect is Dialect.CLAUDE or values.get("name") is not None:
            message = f"there is no usable name, so the file's name is used: {quoted(name)}; add it"
            page.findings.append(repaired(path, message, page.line_of("name") or page.first_line))
    if not description:
        description = first_sentence(page.body)
        if not description:
            message = "there is no description and no text to take one from; add `description:`"
            return ParseResult(None, (refused(path, message, page.first_line),))
        message = "there is no description, so the first sentence of the text is used; add one"
        page.findings.append(repaired(path, message, page.first_line, kind=NO_DESCRIPTION))
    spec = AgentSpec(
        name=name,
        description=description,
        prompt=page.body,
        source=source,
        path=path,
        namespace=namespace,
        tools=fields.tools(),
        disallowed_tools=fields.disallowed_tools(),
        model=model_of(fields.model(), dialect),
        skills=fields.skills(),
        color=fields.color(),
        max_turns=fields.max_turns(),
        permission_mode=fields.permission_mode(),
        effort=fields.effort(),
        metadata=fields.metadata(),
        findings=(*page.findings, *fields.findings),
        content_hash=digest,
        dialect=dialect,
    )
    return ParseResult(spec, spec.findings, page.rescued)


def name_from_file(path: Path) -> str:
    """The name a file's own name gives: `reviewer.agent.md` is `reviewer`."""
    return safe_name(name_of_file(path))


def first_sentence(body: str) -> str:
    """The first sentence of a text's beginning, without markdown; empty when there is none."""
    for line in body[:_OPENING].split("\n"):
        text = _HEADING.sub("", line.strip(), count=1).strip("*_# ")
        if any(char.isalnum() for char in text):
            end = _SENTENCE_END.search(text)
            return text[: end.end()] if end else text
    return ""
