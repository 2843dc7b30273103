"""A registry of agents for programs that bring the registry room into their own (seed 002).

Unlike the live index it watches nothing and knows no priorities: what is registered last counts.
Loading reports what is wrong instead of raising, so that one bad file costs one agent.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.registry.check.owners import owner_of
from secretary_tui.registry.check.validate import Validation, validate_agents
from secretary_tui.registry.definition.command_line_agents import (
    COMMAND_LINE,
    GivenAgentsError,
    load_given,
)
from secretary_tui.registry.definition.findings import quoted, refused
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import AgentSpec, Finding, Source, SourceKind
from secretary_tui.registry.sources.scan import scan

_IN_CODE = Path("in-code")


class AgentRegistry:
    """Agents by id: a plugin's agent is `plugin:name`, any other goes by its bare name."""

    def __init__(self, specs: Iterable[AgentSpec] = ()) -> None:
        self._specs: dict[str, AgentSpec] = {}
        self.register_multiple(*specs)

    def register(self, spec: AgentSpec) -> None:
        """Add an agent; one with the same id is replaced."""
        self._specs[spec.id] = spec

    def register_multiple(self, *specs: AgentSpec) -> None:
        """Add several agents, the last one of an id counting."""
        for spec in specs:
            self.register(spec)

    def get(self, name: str) -> AgentSpec:
        """The agent with exactly this id.

        Raises:
            AgentNotFoundError: there is none; its `nearest` are ids that may have been meant.
        """
        try:
            return self._specs[name]
        except KeyError:
            nearest = self._nearest(name)
            hint = f"; nearest: {', '.join(nearest)}" if nearest else ""
            message = f"there is no agent {quoted(name)}{hint}"
            raise AgentNotFoundError(message, nearest) from None

    def has(self, name: str) -> bool:
        """Whether there is an agent with exactly this id."""
        return name in self._specs

    def all(self) -> tuple[AgentSpec, ...]:
        """Every agent, in the order of registration."""
        return tuple(self._specs.values())

    def names(self) -> tuple[str, ...]:
        """Every id, in the order of registration."""
        return tuple(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def __iter__(self) -> Iterator[AgentSpec]:
        return iter(self.all())

    def __contains__(self, name: object) -> bool:
        return name in self._specs

    def load_from_file(self, path: str | Path) -> tuple[Finding, ...]:
        """Read one definition file and register its agent; what is wrong is given back.

        A finding with severity `error` means that the file gave no agent.
        """
        place = paths.with_home(path).absolute()
        owner = owner_of(place.parent, place.parent)
        result = read_agent(place, owner.source, owner.namespace)
        if result.spec:
            self.register(result.spec)
        elif result.is_documentation:
            message = "there is no frontmatter: start the file with --- and name: and ---"
            return (refused(place, message, 1),)
        return result.findings

    def load_from_directory(self, path: str | Path, recursive: bool = False) -> tuple[Finding, ...]:
        """Register the agents of a folder, with `recursive` of all folders below it too.

        Files without frontmatter are documentation and passed over; a missing folder holds none.
        """
        folder = paths.with_home(path).absolute()
        listing = scan(folder)
        findings = list(listing.findings)
        for file in listing.files:
            if not recursive and file.parent != folder:
                continue
            owner = owner_of(file.parent, folder)
            result = read_agent(file, owner.source, owner.namespace)
            findings += result.findings
            if result.spec:
                self.register(result.spec)
        return tuple(findings)

    def load_from_json(
        self, data: str | Mapping[str, object] | list[object]
    ) -> tuple[Finding, ...]:
        """Register agents given as JSON text, as the path of a JSON file, or as its values.

        `{"name": {"description": …, "prompt": …}}`, one such table with a `name`, or a list.
        """
        try:
            loaded = load_given(data if isinstance(data, str) else json.dumps(data))
        except (GivenAgentsError, TypeError, ValueError, RecursionError) as error:
            return (refused(COMMAND_LINE, str(error)),)
        for result in loaded.results:
            if result.spec:
                self.register(result.spec)
        return tuple(finding for result in loaded.results for finding in result.findings)

    def auto_discover(
        self,
        project_path: str | Path | None = None,
        package_path: str | Path | None = None,
        user_path: str | Path | None = None,
    ) -> tuple[Finding, ...]:
        """Register the agents of up to three folders, such as `.claude/agents`, with all below.

        Of one id the project's agent counts, else the package's, else the user's (seed 002,
        "File Locations").
        """
        return tuple(
            finding
            for folder in (user_path, package_path, project_path)
            if folder is not None
            for finding in self.load_from_directory(folder, recursive=True)
        )

    def validate(self) -> Validation:
        """Check all agents, alone and against each other; nothing raises."""
        return validate_agents(self.all())

    def _nearest(self, name: str) -> tuple[str, ...]:
        wanted = name.casefold()
        keys: dict[str, str] = {}
        for agent_id, spec in self._specs.items():
            keys.setdefault(agent_id.casefold(), agent_id)
            keys.setdefault(spec.name.casefold(), agent_id)
        close = difflib.get_close_matches(wanted, keys, n=3, cutoff=0.5)
        return tuple(dict.fromkeys(keys[key] for key in close))


def define_agent(
    name: str,
    description: str,
    prompt: str,
    *,
    tools: Iterable[str] | None = None,
    disallowed_tools: Iterable[str] = (),
    model: str | None = None,
    skills: Iterable[str] = (),
) -> AgentSpec:
    """Make an agent in code. Without `tools` it inherits all, without `model` the session's."""
    return AgentSpec(
        name=name,
        description=description,
        prompt=prompt,
        source=Source(SourceKind.GIVEN, _IN_CODE),
        path=_IN_CODE / f"{name}.md",
        tools=None if tools is None else tuple(tools),
        disallowed_tools=tuple(disallowed_tools),
        model=None if model == "inherit" else model,
        skills=tuple(skills),
    )
