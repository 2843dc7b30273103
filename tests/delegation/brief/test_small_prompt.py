"""A definition cut for the embedded model: short, whole sentences, and its own role first."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui.delegation.brief.small_prompt import (
    MAX_TOKENS,
    cut_definition,
    hint_for,
    small_system_prompt,
    small_task,
)
from secretary_tui.delegation.brief.way import Way
from secretary_tui.delegation.lookup.looked_up import Excerpt, LookedUp, tokens_of
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind
from tests.delegation.conftest import Runner, make_agent

DEFINITION = """\
You are a **careful gardener** of old code. You prune and never uproot.

| a | table |
|---|---|

```bash
rm -rf weeds
```

## Process

1. Walk around.
2. Look at the roots.

## Rules

- Never cut a branch that bears fruit,
  not even a small one.
- Always say what you cut.

## Output

- One line for each plant.
"""
BUNDLED = Path(__file__).parents[3] / "agents"


def agents_in(folder: Path) -> list[AgentSpec]:
    source = Source(SourceKind.AGENTS_DIR, folder)
    read = (read_agent(path, source) for path in sorted(folder.rglob("*.md")))
    return [found.spec for found in read if found.spec is not None]


def test_role_rules_and_a_short_form_of_answer_are_kept() -> None:
    assert cut_definition(DEFINITION) == (
        "You are a careful gardener of old code. You prune and never uproot.\n\n"
        "Rules:\n"
        "- Never cut a branch that bears fruit, not even a small one.\n"
        "- Always say what you cut.\n\n"
        "Form of your answer:\n"
        "- One line for each plant."
    )


def test_of_a_long_role_whole_sentences_are_kept() -> None:
    role = cut_definition(" ".join(f"You know plant number {n} by name." for n in range(200)))
    assert role.startswith("You know plant number 0 by name.")
    assert role.endswith("by name.")
    assert tokens_of(role) < 100


def test_a_role_that_is_a_list_or_one_endless_sentence_is_kept_too() -> None:
    assert cut_definition("## Focus\n\n- Roses\n- Tulips\n") == "- Roses\n- Tulips"
    endless = "You know roses " + "and tulips " * 300
    assert cut_definition(endless).startswith("You know roses and tulips")
    assert cut_definition("园" * 900).startswith("园园")


def test_a_long_form_of_answer_is_left_out_whole() -> None:
    form = "\n".join(f"- Section {n}: all that is known about it" for n in range(30))
    assert "Section" not in cut_definition(f"You report.\n\n## Output format\n\n{form}\n")


def test_who_changes_files_hears_its_role_and_no_rules_of_reports() -> None:
    agent = make_agent(Path("/x"), prompt=DEFINITION)
    told = small_system_prompt(agent, Way.CHANGE)
    assert told.startswith("You are a careful gardener")
    assert "<<<<<<< SEARCH" in told
    assert "fruit" not in told
    assert "fruit" in small_system_prompt(agent, Way.ANSWER)


@pytest.mark.parametrize("way", Way)
def test_the_bundled_agents_are_short_for_a_small_model(way: Way) -> None:
    agents = agents_in(BUNDLED)
    assert agents
    for agent in agents:
        assert tokens_of(small_system_prompt(agent, way)) <= MAX_TOKENS, agent.id
        assert cut_definition(agent.prompt).startswith("You "), agent.id


def test_every_agent_of_the_public_collections_is_cut_short_and_keeps_its_role(
    corpora: Path,
) -> None:
    agents = agents_in(corpora)
    assert len(agents) > 1000
    for agent in agents:
        cut = cut_definition(agent.prompt)
        assert tokens_of(cut) <= MAX_TOKENS, agent.path
        assert cut == cut_definition(agent.prompt)
        assert cut or not agent.prompt.strip(), agent.path
        assert not cut.startswith(("Rules:", "Form of")), agent.path
        for way in Way:
            assert tokens_of(small_system_prompt(agent, way)) <= MAX_TOKENS, agent.path


def test_the_task_stands_behind_what_is_known(runner: Runner) -> None:
    told = runner.delegation(task="Why is x 1?", context=("It is urgent.", " "))
    looked_up = LookedUp((Excerpt("a.py", "x = 1", "a.py"),))
    text = small_task(told, looked_up)
    assert text.startswith('It is urgent.\n\n<file path="a.py">\nx = 1\n</file>\n\n')
    assert "\n\nTask: Why is x 1?" in text


@pytest.mark.parametrize(
    "task",
    [
        "write a commit message",
        "a regex for dates",
        "review my change",
        "why does it crash?",
        "where is the port set?",
        "add a docstring to f",
    ],
)
def test_a_common_kind_of_task_says_what_its_answer_holds(task: str) -> None:
    assert hint_for(task)
    assert hint_for(task.upper()) == hint_for(task)


def test_a_translation_names_its_language() -> None:
    assert "Polish" in hint_for("translate it into Polish")


def test_another_kind_says_nothing() -> None:
    assert hint_for("Explain the queue.") == ""
