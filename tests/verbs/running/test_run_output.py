"""What passes at the command line: a line that renews itself on a terminal, without a trace."""

from __future__ import annotations

import io
import sys

import pytest

from secretary_tui.events import ModelStarting, PromptRead, RunFailed, TextDelta, Usage
from secretary_tui.verbs.running.run_output import TextOutput


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_renews_itself_and_is_wiped_before_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "80")
    output = TextOutput()
    output.show(ModelStarting("tiny"))
    output.show(PromptRead(1, 4, 10.0, 30.0))
    output.show(PromptRead(2, 4, 20.2))
    output.show(TextDelta("Hello"))
    loading, first, second, wiped, answer = terminal.getvalue().split("\r")[1:]
    assert loading == "Loading tiny."
    assert first == "Reading the prompt: 25 % after 10 s, about 30 s left"
    assert second.rstrip() == "Reading the prompt: 50 % after 20 s"
    assert len(second) == len(first)
    assert wiped and not wiped.strip()
    assert answer == "Hello"


def test_in_a_pipe_only_that_the_model_is_loaded_is_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = TextOutput()
    output.show(ModelStarting("tiny"))
    output.show(PromptRead(1, 4, 10.0))
    output.show(RunFailed("No.", "Try again.", False, Usage(), None, 1.0))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "Loading tiny.\nFailed: No. Try again.\n")
