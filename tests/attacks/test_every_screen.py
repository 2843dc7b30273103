"""Rows 18 and 19 on every screen: a walk through all of them in a real terminal, with hostile text.

Agent file, settings of the project, run, changed files, history and decisions hold escape sequences
and markup. Nothing of it may reach the terminal as more than text.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from textual.screen import Screen

from secretary_tui import screens
from secretary_tui.sessions import ui_state
from tests.attacks.test_hostile_terminal import MARKUP, OSC52, PAYLOAD
from tests.e2e.terminal import Terminal
from tests.library import make_ready
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use
from tests.verbs.command_line import environment, write_agent

BOX = r"What should be done\?"

AT_FIRST: dict[str, tuple[tuple[str, str], ...]] = {
    "SentenceOffer": (("", r"Esc skip"), ("escape", BOX)),
}
"""Screens that only the first start shows, before anything is asked."""

WAYS: dict[str, tuple[tuple[str, str], ...]] = {
    "MainScreen": (("", r"All is well"),),
    "LinksScreen": (
        ("tab", r"ask this agent"),
        ("tab", r"y copy"),
        ("o", r"Links on the screen"),
        ("escape", r"y copy"),
        ("escape", r"Enter find agent"),
    ),
    "UndoScreen": (("/undo\r", r"b original beside it"),),
    "ViewerScreen": (
        ("v", r"Esc closes"),
        ("escape", r"b original beside it"),
        ("escape", BOX),
    ),
    "ExportScreen": (("/export\r", r"File, in the project"), ("escape", BOX)),
    "SettingsScreen": (("f2", r"Settings"), ("end", r"plain *off"), ("escape", BOX)),
    "ProblemsScreen": (("f7", r"Problems"), ("escape", BOX)),
    "StatsScreen": (("f10", r"Statistics"), ("escape", BOX)),
    "NewAgentScreen": (("f9", r"New agent"), ("escape", BOX)),
    "SetupScreen": (("f4", r"Model setup"), ("escape", BOX)),
    "ThemeScreen": (("/theme\r", r"Enter applies"), ("escape", r"(?s)^(?!.*Enter applies)")),
    "HistoryScreen": (("f3", r"d delete"),),
    "ConfirmScreen": (("d", r"Delete this run of"), ("escape", r"f fork")),
    "ForkScreen": (("f", r"fork after this answer"),),
}
"""How each screen is reached from the one before: keys or text, and what is seen then."""

OBEYED = (
    *("\x1b]52", "\x1b]0;evil", "\x1b]8;;http://evil", "\x1b[2Jgone"),
    *("\x9d", "\x9b", "\u202e", "\u2066"),
)
"""What a terminal would carry out; with a visible escape in place of the first byte it is text."""


def screen_classes() -> set[str]:
    for module in pkgutil.walk_packages(screens.__path__, f"{screens.__name__}."):
        importlib.import_module(module.name)
    found, queue = set(), [Screen]
    while queue:
        children = queue.pop().__subclasses__()
        for child in children:
            queue.append(child)
            if child.__module__.startswith(screens.__name__) and not child.__subclasses__():
                found.add(child.__name__)
    return found


def test_the_walk_names_every_screen() -> None:
    assert screen_classes() == set(AT_FIRST | WAYS)


def go(terminal: Terminal, key: str) -> None:
    if "/" in key:
        terminal.type(key)
    elif key:
        terminal.press(key)


def walk(terminal: Terminal, through: Mapping[str, Sequence[tuple[str, str]]]) -> set[str]:
    """Go to each screen, and see it; gives their names."""
    for ways in through.values():
        for key, sign in ways:
            go(terminal, key)
            terminal.wait_for(sign)
    return set(through)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / f"shop{MARKUP.split(']')[0].replace('/', '')}]"
    folder.mkdir()
    make_ready(folder)
    ui_state.remember(onboarded=False)
    agents = folder / ".claude" / "agents"
    write_agent(agents, "hostile", f"Writes {PAYLOAD}", "tools: Read, Write, Bash\n", PAYLOAD)
    (agents / f"b{OSC52.replace('/', '')}[x.md").write_bytes(b"\x00" * 99)
    (folder / ".claude" / "secretary.local.md").write_text(
        f"---\ntheme: 'x{MARKUP}'\nnonsense: 'x{OSC52}'\n---\n"
    )
    return folder


@pytest.mark.e2e
def test_no_screen_lets_foreign_text_reach_the_terminal_as_more_than_text(project: Path) -> None:
    table = f"| a | b |\n|---|---|\n| {MARKUP} | {OSC52} |"
    link = (
        f"[All {MARKUP}](https://evil.example/{OSC52}x) [here](https://evil.example/{MARKUP[:9]})"
    )
    steps = (
        answer(
            text(f"I write. {PAYLOAD}"),
            tool_use("Write", {"file_path": "new.txt", "content": f"one\n{PAYLOAD}\n"}),
        ),
        answer(tool_use("Bash", {"command": f"echo '{PAYLOAD}'"})),
        answer(text(f"# {PAYLOAD}\n\n{table}\n\n- [ ] {PAYLOAD}\n\n{link}\n\nAll is well.")),
        answer(text(f"Once more. {PAYLOAD}")),
    )
    with ScriptedServer(*steps) as server:
        env = environment(
            {
                "ANTHROPIC_API_KEY": "sk-ant-test",
                "ANTHROPIC_BASE_URL": server.url,
                "SECRETARY_TUI_LOCAL_REFINES": "false",
                "SECRETARY_TUI_ROUTING_TIMEOUT_S": "0.1",
            }
        )
        with Terminal(cwd=project, env=env, size=(120, 40)) as terminal:
            reached = walk(terminal, AT_FIRST)
            terminal.wait_for(r"agents")
            terminal.type("@hostile write")
            terminal.wait_for(r"@hostile write")
            terminal.press("enter")
            terminal.wait_for(r"Enter accept")
            terminal.press_until("enter", r"wants to use Write")
            terminal.press_until("y", r"wants to use Bash")
            terminal.press_until("v", r"Esc closes")
            terminal.press("escape")
            terminal.wait_for(r"wants to use Bash")
            terminal.press_until("n", r"Reason \(optional")
            terminal.press("enter")
            terminal.wait_for(r"done · ")
            terminal.press("ctrl+t")
            terminal.wait_for(r"reply to hostile")
            terminal.type("again\r")
            terminal.wait_for(r"Once more")
            terminal.press("ctrl+t")
            terminal.wait_for(r"Enter find agent")
            reached |= walk(terminal, WAYS)
            painted = terminal.raw.decode("utf-8", "replace")
    assert reached == set(AT_FIRST | WAYS)
    for forbidden in OBEYED:
        assert forbidden not in painted, ascii(forbidden)
