"""What a request's own words don't say stands in tables, and the user may add rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui import paths
from secretary_tui.config import Config
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.recommend.recommender import route_local
from secretary_tui.routing.words.knowledge import (
    MOST_HINTS,
    SHARES,
    TABLES,
    USER_TABLE,
    KnowledgeError,
    Topic,
    knowledge,
    read_table,
    spoken,
)
from tests.routing.library import LIBRARY, make_agent

SPOKEN = (Topic.PRODUCT, Topic.DELIVERABLE, Topic.TERM)
EACH_TABLE = pytest.mark.parametrize("topic", Topic)


@pytest.fixture
def own_rows() -> Iterator[Path]:
    """Where the user's rows are read from, for one test."""
    folder = paths.config_dir()
    folder.mkdir(parents=True, exist_ok=True)
    knowledge.cache_clear()
    yield folder / USER_TABLE
    knowledge.cache_clear()


def rows_of(topic: Topic) -> list[tuple[str, list[str], str]]:
    """Each row as it stands in the file, with its keys and its words."""
    lines = (TABLES / f"{topic}.txt").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line and not line.startswith("# ")]
    return [(row, row.rpartition(" = ")[0].split(", "), row.rpartition(" = ")[2]) for row in rows]


def hinted(request: str) -> dict[str, str]:
    return {hint.key: hint.words for hint in knowledge().hints(request)}


@EACH_TABLE
def test_every_row_gives_one_to_five_lower_case_words(topic: Topic) -> None:
    bad = [
        row
        for row, _, words in rows_of(topic)
        if not 1 <= len(words.split()) <= 5 or words != " ".join(words.lower().split())
    ]
    assert bad == []


@EACH_TABLE
def test_no_key_stands_twice_in_a_table(topic: Topic) -> None:
    keys = Counter(key for _, keys, _ in rows_of(topic) for key in keys)
    assert [key for key, times in keys.items() if times > 1 or not key.strip()] == []


@pytest.mark.parametrize("topic", SPOKEN)
def test_keys_that_are_spoken_are_in_their_normal_form(topic: Topic) -> None:
    keys = [key for _, keys, _ in rows_of(topic) for key in keys]
    assert [key for key in keys if key != " ".join(spoken(key))] == []


def test_a_file_is_a_name_an_ending_or_a_folder_in_lower_case() -> None:
    keys = [key for _, keys, _ in rows_of(Topic.FILE) for key in keys]
    assert [key for key in keys if key != key.lower() or " " in key or "*" in key] == []


@EACH_TABLE
def test_no_row_is_dead_each_key_is_found_where_it_stands_in_a_request(topic: Topic) -> None:
    for key in knowledge().tables[topic]:
        written = key.replace("#", "7") if topic is Topic.ERROR else key
        # An ending follows a name.
        requests = [f"look: {written}", *([f"look: my{written}"] if topic is Topic.FILE else [])]
        assert any(key in hinted(request) for request in requests), key


@pytest.mark.parametrize(
    ("request_", "key", "topic"),
    [
        ("set up Argo CD for the shop", "argo cd", Topic.PRODUCT),
        ("it says ORA-00060 again", "ORA-#####", Topic.ERROR),
        ("com.shop.NullPointerException at start", "NullPointerException", Topic.ERROR),
        ("java.lang.OutOfMemoryError: GC overhead limit exceeded!", "GC overhead limit exceeded",
         Topic.ERROR),
        ("PlatformException(error, null)", "PlatformException(", Topic.ERROR),
        ("why is deploy/Dockerfile so big", "dockerfile", Topic.FILE),
        ("look at infra/main.tf", ".tf", Topic.FILE),
        ("types in src/api.d.ts are wrong", ".d.ts", Topic.FILE),
        ("what does .terraform/ hold", ".terraform/", Topic.FILE),
        ("a Tiltfile for us", "tiltfile", Topic.FILE),
        ("write an exec summary", "exec summary", Topic.DELIVERABLE),
        ("users are woken at night", "woken at night", Topic.TERM),
    ],
)  # fmt: skip
def test_each_kind_of_hint_is_found(request_: str, key: str, topic: Topic) -> None:
    assert (key, topic) in {(hint.key, hint.topic) for hint in knowledge().hints(request_)}


def test_a_word_is_no_ending() -> None:
    assert knowledge().hints("a c for h and r") == ()


def test_the_longest_key_wins() -> None:
    assert "react router" in hinted("use react router")
    assert "react" not in hinted("use react router")
    assert "react" in hinted("use react")


def test_each_hint_comes_once_and_24_at_most() -> None:
    keys = list(knowledge().tables[Topic.PRODUCT])
    many = knowledge().hints("; ".join((*keys[:60], *keys[:60])))
    assert len(many) == MOST_HINTS == len(set(many))


def test_a_hint_counts_less_than_a_word_of_the_request() -> None:
    assert set(SHARES) == set(Topic)
    assert all(0 < share < 1 for share in SHARES.values())


@given(st.text(max_size=300))
def test_any_request_can_be_looked_through(request_: str) -> None:
    assert len(knowledge().hints(request_)) <= MOST_HINTS


def test_rows_of_the_users_own_count_and_win(own_rows: Path) -> None:
    own_rows.write_text("# ours\n\nFrobnicator, the frob = kubernetes deploy\nreact = cobol\n")
    assert hinted("restart the Frob and the frobnicator") == {
        "the frob": "kubernetes deploy",
        "frobnicator": "kubernetes deploy",
    }
    assert hinted("react") == {"react": "cobol"}
    assert LocalMatcher(LIBRARY).rank("frobnicator")[0].agent == "cloud:kubernetes-architect"


@pytest.mark.parametrize("row", ["frob kubernetes", "= kubernetes", "frob =", " = "])
def test_a_row_that_can_not_be_read_is_named_by_file_and_line(row: str, tmp_path: Path) -> None:
    table = tmp_path / "rows.txt"
    table.write_text(f"# words\nshop = php\n{row}\n")
    with pytest.raises(
        KnowledgeError, match=r"rows\.txt:3: a row is `key, other spelling = words`"
    ):
        read_table(table)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"shop = php\nfrob\n", f"{USER_TABLE}:2: a row is"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"a = b\n" * 200_000, "is larger than 1 MB"),
    ],
)
def test_rows_that_can_not_be_read_are_said_and_the_shipped_ones_go_on(
    content: bytes, why: str, own_rows: Path
) -> None:
    own_rows.write_bytes(content)
    agents = (*LIBRARY, make_agent("react-pro", "Builds frontends."))
    found = route_local(LocalMatcher(agents), "redux thunk middleware", Config())
    assert why in found.notice
    assert found.notice.startswith("Your own words are not used: ")
    assert "redux thunk" in hinted("redux thunk middleware")
    assert found.ranking[0].agent in {"react-pro", "web:frontend-developer"}


def test_nothing_is_said_where_all_can_be_read(own_rows: Path) -> None:
    assert route_local(LocalMatcher(LIBRARY), "review this", Config()).notice == ""
    own_rows.write_text("frob = kubernetes\n")
    knowledge.cache_clear()
    assert route_local(LocalMatcher(LIBRARY), "review this", Config()).notice == ""
