"""Verbs that begin a request: those that ask for work, and for a change of what is there."""

from __future__ import annotations

from functools import cache

from secretary_tui.routing.words.terms import stem_all, words


def opening_verb(english: str) -> str:
    """The stem of the first word that says something; empty without one."""
    return next(iter(stem_all(words(english)[:1])), "")


@cache
def work() -> frozenset[str]:
    """Stems of verbs that ask for work."""
    return frozenset(stem_all(_WORK.split()))


@cache
def changing() -> frozenset[str]:
    """Stems of verbs that ask for a change of something that is there."""
    return frozenset(stem_all(_CHANGING.split()))


_WORK = """
    analyze assess audit automate benchmark book brainstorm build calculate check clean code commit
    compare configure connect convert create debug define deploy describe design detect develop
    diagnose document download draft draw estimate evaluate explain export extract find fix generate
    give identify implement import improve inspect install integrate investigate launch list merge
    migrate modernize monitor move optimize organize outline plan port prepare produce profile
    propose provision publish push recommend reduce refactor release remove rename replace reproduce
    research restore review rewrite run scan schedule search send set show simplify sketch solve
    speed split start stop suggest summarize teach tell test trace train translate troubleshoot tune
    update upgrade upload validate verify write
"""
_CHANGING = """
    add append bump change cut drop exclude extend group include increase keep leave limit lower
    make mention move put raise reduce remove rename reorder replace revert round rerun shorten show
    skip sort split swap try undo use wrap give save store verify
"""


def asks_for_work(english: str) -> bool:
    """Whether a request begins with such a verb, not as a question or remark does."""
    return opening_verb(english) in work() | changing()
