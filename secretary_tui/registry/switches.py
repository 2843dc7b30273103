"""Switch agents off and on in a settings file (`disabled_agents`)."""

from __future__ import annotations

from pathlib import Path

from secretary_tui import config, config_file

_KEY = "disabled_agents"


def disabled_in(path: Path) -> tuple[str, ...]:
    """The ids that a settings file switches off; what isn't a list of ids counts for nothing."""
    return config.read_list(path, _KEY)


def switch_agent(agent_id: str, path: Path, *, on: bool) -> bool:
    """Switch an agent on or off in one settings file; whether the file had to change.

    Raises:
        ConfigError: the file can't be changed.
    """
    before = disabled_in(path)
    if on:
        after = tuple(known for known in before if known != agent_id)
    else:
        after = before if agent_id in before else (*before, agent_id)
    if after == before:
        return False
    config_file.save(path, {_KEY: after})
    return True
