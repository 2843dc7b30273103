"""Write a new definition file from a template, for `agents new` and the form on the screen."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.registry.check.checks import suggest_model
from secretary_tui.registry.definition.fields import TEXT_FIELDS
from secretary_tui.registry.definition.findings import quoted
from secretary_tui.registry.definition.known_tools import is_known_tool, suggest_tool
from secretary_tui.registry.definition.quoting import quoted_value
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.settings import DEFAULT_MODEL_ALIASES
from secretary_tui.strict_yaml import StrictYamlError, load_mapping
from secretary_tui.tool_table import GLOB, GREP, READ

DEFAULT_TOOLS = (READ, GLOB, GREP)
"""What a new agent gets unless its author says otherwise: looking, no changing."""
PLACEHOLDER = "Say what {name} does and when to use it, in the words that people type."
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_NOT_IN_YAML = re.compile(
    r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_PROMPT = """\
You do one kind of task: the one your description names.

1. Look at what is there before you change anything.
2. Do what was asked, and nothing beside it.
3. Report what you did, what you checked and what is left open.
"""


class NewAgentError(Exception):
    """The agent can't be created as asked; the message says what to change."""

    def __init__(self, message: str, field: str = "name") -> None:
        super().__init__(message)
        self.field = field
        """What is to be changed: name, tools or model."""


@dataclass(frozen=True, slots=True)
class NewAgent:
    """What the author decided about a new agent."""

    name: str
    description: str = ""
    """Text that YAML can hold; empty for a sentence that asks for one."""
    tools: tuple[str, ...] | None = DEFAULT_TOOLS
    """None leaves the line out, so that the agent inherits all."""
    model: str | None = None

    def text(self) -> str:
        """The definition file."""
        description = self.description or PLACEHOLDER.format(name=self.name)
        lines = [f"name: {self.name}", *_yaml("description", description)]
        if self.tools is not None:
            lines += _yaml("tools", ", ".join(self.tools)) if self.tools else ["tools: []"]
        if self.model:
            lines += _yaml("model", self.model)
        return "\n".join(("---", *lines, "---", "", _PROMPT))


def plan_agent(
    name: str,
    description: str = "",
    tools: Sequence[str] | None = DEFAULT_TOOLS,
    model: str = "",
    aliases: Collection[str] = tuple(DEFAULT_MODEL_ALIASES),
) -> NewAgent:
    """Check what was typed for a new agent.

    Raises:
        NewAgentError: a name, tool or model that would surprise its author later.
    """
    if not _NAME.fullmatch(name):
        better = "-".join(re.findall(r"[a-z0-9]+", clean_line(name).lower()))
        hint = f"; {quoted(better)} would do" if better else ""
        raise NewAgentError(
            f"a name is lower case, words joined by hyphens, not {quoted(name)}{hint}"
        )
    names = _named_tools(tools)
    for tool in names or ():
        if not is_known_tool(tool):
            meant = suggest_tool(tool)
            hint = f"; did you mean {meant}?" if meant else ""
            raise NewAgentError(f"there is no tool {quoted(tool)}{hint}", "tools")
    if model and (advice := suggest_model(model, aliases)):
        raise NewAgentError(f"there is no model {quoted(model)}; {advice}", "model")
    return NewAgent(name, _plain_text(description), names, model or None)


def draft_agent(name: str, description: str, tools: Sequence[str] | None) -> NewAgent:
    """What stands there of a new agent so far, to try requests on: nothing is checked."""
    return NewAgent(name, _plain_text(description), _named_tools(tools))


def _named_tools(tools: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if tools is None or "*" in tools else tuple(dict.fromkeys(tools))


def create_agent(agent: NewAgent, folder: Path) -> Path:
    """Write the definition to `folder`, which is made when it is missing; gives the file.

    Raises:
        NewAgentError: there is such a file already, or the folder can't be written.
    """
    path = folder / f"{agent.name}.md"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("x", encoding="utf-8", newline="\n")
    except OSError as error:
        if isinstance(error, FileExistsError) and folder.is_dir():
            message = f"{path} is there already and was left as it is; choose another name"
            raise NewAgentError(message) from None
        raise NewAgentError(f"{path} can't be written ({error.strerror})") from None
    try:
        with file:
            file.write(agent.text())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise NewAgentError(f"{path} can't be written ({error.strerror})") from None
    return path


def _plain_text(text: str) -> str:
    """Clean text with `\\n` line ends, without what YAML doesn't take as it is."""
    lines = _NOT_IN_YAML.sub("", clean(text)).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()


def _yaml(key: str, value: str) -> list[str]:
    """The lines of a field; quoted only where YAML needs it."""
    line = f"{key}: {value}"
    try:
        read = load_mapping(line, as_text=TEXT_FIELDS, on_duplicate=lambda *_: None)
    except StrictYamlError:
        read = None
    return [line] if read == {key: value} else quoted_value(f"{key}:", value)
