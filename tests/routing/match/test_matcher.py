"""Who fits: the local ranking."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.registry.definition.spec import SourceKind
from secretary_tui.routing.index.lexical import Document, LexicalIndex, count_document
from secretary_tui.routing.match.matcher import LocalMatcher
from tests.routing.library import LIBRARY, make_agent

MATCHER = LocalMatcher(LIBRARY)


@pytest.mark.parametrize(
    ("request_", "agent"),
    [
        ("review auth for security holes", "quality:security-reviewer"),
        ("my query does a seq scan, check the indexes", "data:database-optimizer"),
        ("plan a kuberentes clutser with namepsaces", "cloud:kubernetes-architect"),
        ("valgrind reports a leak in my C code", "languages:c-pro"),
        ("typescript hooks", "web:frontend-developer"),
    ],
)
def test_the_right_agent_comes_first(request_, agent):
    assert MATCHER.rank(request_)[0].agent == agent


def test_a_word_in_the_name_beats_the_same_word_in_the_description_and_in_the_body():
    matcher = LocalMatcher(
        [
            make_agent("aaa", "Something else entirely.", "Knows all about terraform."),
            make_agent("bbb", "Works with terraform always.", "Other."),
            make_agent("terraform-pro", "Something different today.", "Other!"),
        ]
    )
    ranked = [match.agent for match in matcher.rank("terraform")]
    assert ranked == ["terraform-pro", "bbb", "aaa"]


def test_the_body_counts_when_name_and_description_are_silent():
    match = MATCHER.rank("allocation")[0]
    assert match.agent == "languages:c-pro"
    assert match.reason == "its instructions mention allocation"


def test_the_reason_quotes_the_description_and_names_repairs():
    match = MATCHER.rank("secuirty review of session handling")[0]
    assert match.reason == (
        "“Reviews code for security vulnerabilities”; “secuirty” read as security"
    )


def test_copies_become_one_row_that_names_its_places():
    project = make_agent("debugger", "Finds bugs.", "Same body.", kind=SourceKind.PROJECT)
    copies = [
        make_agent("debugger", "Finds bugs.", "Same body.\n", plugin=plugin) for plugin in "ab"
    ]
    other = make_agent("debugger", "Finds bugs.", "Another body.", plugin="c")
    rows = LocalMatcher([*copies, other, project]).rank("bugs")
    assert sorted(row.agent for row in rows) == ["c:debugger", "debugger"]
    (collapsed,) = (row for row in rows if row.copies)
    assert collapsed.path == str(project.path)
    assert collapsed.copies == tuple(str(copy.path) for copy in copies)


def test_editions_of_one_agent_do_not_make_each_other_unsure():
    def sure(other: str) -> int:
        agents = [
            make_agent("django-pro", "Django and its ORM.", "Models.", plugin="a"),
            make_agent("django-pro", "Django and its ORM.", "Views.", plugin="b", file_name=other),
        ]
        return LocalMatcher([*LIBRARY, *agents]).rank("django orm")[0].confidence

    assert sure("django-pro") > sure("a-rival-of-another-name")


def test_equal_scores_are_ordered_by_id_whatever_the_order_given():
    agents = [make_agent(name, "Bakes bread.", f"{name}.") for name in ("qzoe", "qann", "qmax")]
    for given_ in (agents, agents[::-1]):
        assert [m.agent for m in LocalMatcher(given_).rank("bread")] == ["qann", "qmax", "qzoe"]


def test_a_clear_request_is_sure_and_a_foreign_one_is_not():
    assert MATCHER.rank("review the code for security vulnerabilities")[0].confidence > 70
    for foreign in ("vegan lasagna recipe", "who won the world cup", "hello", "thanks a lot"):
        assert MATCHER.rank(foreign)[0].confidence < 50, foreign


def test_agents_without_a_common_word_come_last_and_are_hardly_possible():
    rows = MATCHER.rank("valgrind", limit=100)
    assert len(rows) == len(LIBRARY)
    assert rows[-1].confidence <= 5
    assert rows[-1].reason.startswith("“")  # Of its description: nothing else speaks for it.


def test_nothing_matches_nothing():
    assert MATCHER.rank("") == MATCHER.rank(" \n") == LocalMatcher([]).rank("review") == ()
    assert MATCHER.rank("review", limit=0) == ()


def test_an_agent_without_any_text_is_no_trouble():
    assert LocalMatcher([make_agent("the", "", " ")]).rank("review")[0].confidence < 50


def test_a_word_of_the_same_meaning_finds_an_agent_that_does_not_use_it():
    match = MATCHER.rank("the table is sluggish")[0]
    assert match.agent == "data:database-optimizer"
    assert match.reason == "close in meaning to “table”"


def test_what_a_product_belongs_to_finds_an_agent_and_is_said():
    match = MATCHER.rank("postgresql is sluggish")[0]
    assert match.agent == "data:database-optimizer"
    assert "“postgresql” read as database" in match.reason


def test_a_request_without_a_word_that_anybody_knows_makes_nobody_possible():
    assert {match.confidence for match in MATCHER.rank("xqzvv flurbl")} == {0}


def test_the_name_of_a_tool_that_no_dictionary_knows_is_enough():
    first, *others = MATCHER.rank("valgrind")
    assert first.agent == "languages:c-pro"
    assert first.confidence > max(match.confidence for match in others)


def test_an_everyday_request_shows_nobody_for_an_accidental_word():
    for foreign in ("my plant has yellow leaves", "book me a table", "how to prune a tree"):
        assert MATCHER.rank(foreign)[0].confidence < 50, foreign


def test_a_word_that_a_dictionary_knows_is_no_typing_error():
    index = LexicalIndex([count_document(Document("cheat", "sheets", ""))])
    assert [m.word for m in index.parse("cheap")[0].meanings] == ["cheat"]
    assert index.parse("cheap", {"cheap"})[0].meanings == ()


def test_a_word_is_repaired_to_the_nearest_and_a_strange_one_to_nothing():
    index = LexicalIndex([count_document(Document("kubernetes", "cluster", ""))])
    assert [m.word for m in index.parse("kuberentes")[0].meanings] == ["kubernetes"]
    assert index.parse("lasagna")[0].meanings == ()
    assert index.parse("lasagna")[0].idf == index.unknown_idf


def test_only_the_first_words_of_a_huge_paste_count():
    index = LexicalIndex([count_document(Document("kubernetes", "cluster", ""))])
    assert len(index.parse(" ".join(f"word{n}" for n in range(5000)))) == 200
    assert index.parse("x " * 10_000 + "kubernetes") == ()


@given(st.text(max_size=300))
def test_any_request_gives_a_sorted_ranking_with_confidences_in_range(request_):
    rows = MATCHER.rank(request_, limit=5)
    sure = [row.confidence for row in rows]
    assert sure == sorted(sure, reverse=True)
    assert all(0 <= value <= 100 for value in sure)
    assert len({row.path for row in rows}) == len(rows) <= 5
    assert rows == MATCHER.rank(request_, limit=5)


KNOWN = ("review", "security", "sql", "slow", "react", "docs", "pods", "c")


@given(st.lists(st.sampled_from(KNOWN), min_size=1))
def test_known_words_in_any_number_are_ranked_without_a_fault(chosen):
    rows = MATCHER.rank(" ".join(chosen))
    assert rows[0].confidence >= rows[-1].confidence >= 0


def test_local_routing_imports_neither_pydantic_nor_numpy_nor_a_model_sdk():
    code = (
        "import sys; import secretary_tui.routing.recommend.recommender; "
        "print({'pydantic', 'numpy', 'anthropic', 'textual', 'rapidfuzz'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
