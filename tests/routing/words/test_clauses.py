"""The clause of a description that is quoted as the reason of a match."""

import pytest

from secretary_tui.routing.words.clauses import LONGEST, first_clause, telling_clause
from secretary_tui.routing.words.terms import stem_all

SQL = (
    "Expert in SQL. Use PROACTIVELY when writing complex queries, tuning slow reports, or "
    "designing schemas - never for document stores. <example>user: bake bread</example>"
)


def telling(description, *found):
    return telling_clause(description, dict.fromkeys(stem_all(found), 1.0))


@pytest.mark.parametrize(
    ("found", "clause"),
    [
        (["queries"], "when writing complex queries"),
        (["query", "slow"], "when writing complex queries, tuning slow reports"),
        (["schemas"], "designing schemas"),
        (["documents"], "never for document stores"),
        (["bread"], ""),
        (["kubernetes"], ""),
    ],
)
def test_the_shortest_words_with_most_of_what_is_looked_for(found, clause):
    assert telling(SQL, *found) == clause


def test_a_rare_word_counts_more_than_two_common_ones():
    weights = dict(zip(stem_all(["vacuum", "write", "code"]), (5.0, 1.0, 1.0), strict=True))
    said = telling_clause("Writes code for banks. Knows when to vacuum.", weights)
    assert said == "Knows when to vacuum"


def test_a_long_clause_is_cut_around_the_word():
    description = " ".join(["one two three"] * 12 + ["needle"] + ["four five six"] * 12)
    said = telling(description, "needle")
    assert "needle" in said
    assert len(said) <= LONGEST
    assert said.startswith("…")


def test_what_a_file_hides_is_not_quoted():
    assert "\x1b" not in telling("Breaks\x1b[2J terminals \u202eand tests", "terminals")


def test_the_first_clause_has_no_phrase_that_every_file_has():
    assert first_clause("Use this agent when a build fails, or a test.") == "when a build fails"
    assert first_clause("") == ""
