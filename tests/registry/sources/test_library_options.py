"""Settings and the command line decide how the library is put together."""

import os
import threading
from argparse import Namespace
from pathlib import Path

import pytest

from secretary_tui import config, paths
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.registry.definition.spec import AgentStatus
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.grammar.arguments import build_parser
from secretary_tui.verbs.options import Options, UsageError
from tests.registry.definitions import write_agent


@pytest.fixture
def project(project: Path) -> Path:
    write_agent(project / ".claude" / "agents", "one")
    write_agent(project / ".claude" / "agents", "two")
    return project


def write_settings(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("---\n" + "\n".join(lines) + "\n---\n", encoding="utf-8")


def test_what_user_and_project_switch_off_adds_up(project: Path) -> None:
    write_settings(paths.user_config(), "disabled_agents: [one]", "disabled_sources: [bundled]")
    write_settings(project / paths.PROJECT_CONFIG, "disabled_agents: [two, one]")
    secretary = Secretary(project, config.load(project, {}))
    index = secretary.load()
    assert {e.id: e.status for e in index.entries if e.spec.source.label == "project"} == {
        "one": AgentStatus.DISABLED,
        "two": AgentStatus.DISABLED,
    }
    assert index.active == ()
    with pytest.raises(AgentNotFoundError, match="switched off"):
        secretary.delegation("one", "request", "task")


def test_new_settings_reach_the_index_that_is_watched(project: Path) -> None:
    secretary = Secretary(project, config.load(project, {}))
    live = secretary.library.live
    assert secretary.load().get("one")
    secretary.take_config(config.load(project, {"SECRETARY_TUI_DISABLED_AGENTS": "one"}))
    assert secretary.library.live is live
    entry = secretary.load().get("one")
    assert entry and entry.status is AgentStatus.DISABLED


def test_a_project_can_not_name_folders_of_its_choice(project: Path, tmp_path: Path) -> None:
    write_agent(tmp_path / "outside", "evil")
    write_settings(
        project / paths.PROJECT_CONFIG,
        f"agents_folders: [{tmp_path / 'outside'}]",
        "agents_dir: ../outside",
    )
    settings = config.load(project, {})
    assert settings.agents_folders == ()
    index = Secretary(project, settings).load()
    assert index.get("evil") is None
    assert "leads out of its folder" in " ".join(map(str, index.problems))


def test_the_users_package_folders_come_before_the_bundled_agents(
    project: Path, home: Path
) -> None:
    write_agent(home / "kit", "extra")
    write_settings(paths.user_config(), "agents_folders: [~/kit]")
    index = Secretary(project, config.load(project, {})).load()
    assert index.find("extra").spec.source.label == "kit"
    ids = [entry.id for entry in index.entries]
    assert ids[:3] == ["one", "two", "extra"] and len(ids) > 3


def test_the_second_start_reads_the_cache(project: Path) -> None:
    for _ in range(2):
        secretary = Secretary(project, config.load(project, {}))
        assert secretary.load().get("one")
        secretary.library.live.save_cache()
    assert list(paths.agents_cache_dir().glob("*.agents"))


def parse(*words: str) -> Options:
    args: Namespace = build_parser().parse_args(words)
    return Options.parse(args)


def test_agents_are_given_on_the_command_line_before_or_after_the_verb(tmp_path: Path) -> None:
    given = '{"typed": {"description": "d"}}'
    assert parse("--agents", given, "agents").agents == given
    assert parse("agents", "--agents", given).agents == given
    (tmp_path / "a.json").write_text(given)
    assert parse("--agents", str(tmp_path / "a.json"), "agents").agents == str(tmp_path / "a.json")
    assert parse("agents").agents == ""


def test_agents_are_read_from_a_pipe_once(tmp_path: Path) -> None:
    given = '{"typed": {"description": "d"}}'
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(given,))
    writer.start()
    assert parse("--agents", str(tmp_path / "pipe"), "agents").agents == given
    writer.join()


@pytest.mark.parametrize("given", ["{", "nowhere.json", "3"])
def test_agents_that_can_not_be_read_are_a_usage_error(given: str) -> None:
    with pytest.raises(UsageError, match="--agents: "):
        parse("--agents", given, "agents")
