"""Which engine the match panel names, and which one a run gets."""

from __future__ import annotations

from secretary_tui.widgets.panels.engine_line import EngineLine, EngineRow

API = EngineRow("anthropic", "Claude API")
OLLAMA = EngineRow("ollama", "Ollama", ("no pictures or PDFs",))


def test_the_sessions_engine_stands_first_and_m_goes_round() -> None:
    line = EngineLine()
    line.offer((OLLAMA, API), "anthropic")
    assert (line.text, line.chosen) == ("runs on Claude API", "")
    assert line.change() == "ollama"
    assert line.text == "runs on Ollama: no pictures or PDFs"
    assert line.change() == ""


def test_without_an_engine_none_is_taken_unasked() -> None:
    line = EngineLine()
    line.offer((OLLAMA,), "none")
    assert line.chosen == ""
    assert line.can_change
    assert "no engine set" in line.text
    assert line.change() == "ollama"
    assert line.change() == "ollama"


def test_a_single_engine_that_lacks_nothing_is_not_spoken_of() -> None:
    line = EngineLine()
    line.offer((API,), "anthropic")
    assert not line.can_change
    assert line.text == ""
    line.offer((OLLAMA,), "ollama")
    assert line.text == "runs on Ollama: no pictures or PDFs"


def test_what_a_profile_is_called_cannot_paint_the_screen() -> None:
    line = EngineLine()
    line.offer((EngineRow("x", "bad\x1b[2J\nname"), API), "x")
    assert line.text == "runs on bad name"
