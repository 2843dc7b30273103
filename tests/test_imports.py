"""What importing a room costs: the heavy libraries stay out of all but those that need them."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"textual", "anthropic", "pydantic"}


def imported_with(module: str) -> set[str]:
    """The top-level names in `sys.modules` after a fresh interpreter imported a module."""
    code = f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "secretary_tui.cli",
        "secretary_tui.tool_table",
        "secretary_tui.secretary",
        "secretary_tui.registry.agent_index",
        "secretary_tui.registry.check.validate",
        "secretary_tui.routing.match.matcher",
        "secretary_tui.routing.recommend.model_stage",
        "secretary_tui.engines.choose",
        "secretary_tui.sessions.store",
    ],
)
def test_a_room_below_the_faces_imports_no_screen_and_no_sdk(module: str) -> None:
    assert not imported_with(module) & HEAVY


def test_the_first_paint_waits_for_textual_alone() -> None:
    names = imported_with("secretary_tui.app, secretary_tui.screens.main.main_screen")
    assert "textual" in names
    heavy = {"anthropic", "pydantic", "numpy", "ruamel", "genai_prices", "langgraph", "langsmith"}
    assert not names & {*heavy, "frontmatter", "yaml", "sqlite3"}


def test_the_first_paint_waits_for_no_part_that_comes_after_it() -> None:
    code = "import sys, secretary_tui.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    late = (
        *(
            "secretary_tui.registry.definition.spec",
            "secretary_tui.registry.agent_index",
            "secretary_tui.routing",
        ),
        *("secretary_tui.delegation", "secretary_tui.coordinator", "secretary_tui.engines"),
        *(
            "secretary_tui.screens.main.after_first_paint",
            "secretary_tui.widgets.library.agent_list",
        ),
        *("secretary_tui.widgets.panels.panel", "secretary_tui.widgets.transcript.transcript"),
        *("secretary_tui.widgets.vi.vi_keys", "secretary_tui.widgets.vi.vi_motions"),
        *("secretary_tui.widgets.request.vi_editing", "secretary_tui.widgets.vi.word_changes"),
        *("textual.widgets._markdown", "rich.markdown", "pygments"),
    )
    assert not set(late) & set(done.stdout.split())


@pytest.mark.parametrize("room", ["acp.acp_client", "tools.toolbox", "loop.model_turns"])
def test_a_run_may_begin_while_the_sdk_is_still_being_imported(room: str) -> None:
    code = (
        "import threading\n"
        "from importlib import import_module\n"
        "both, faults = threading.Barrier(2), []\n"
        "def load(name):\n"
        "    both.wait()\n"
        "    try:\n"
        "        import_module(name)\n"
        "    except BaseException as fault:\n"
        "        faults.append(fault)\n"
        f"names = ('anthropic', 'secretary_tui.delegation.{room}')\n"
        "threads = [threading.Thread(target=load, args=(name,)) for name in names]\n"
        "[thread.start() for thread in threads]\n"
        "[thread.join() for thread in threads]\n"
        "assert not faults, faults\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
