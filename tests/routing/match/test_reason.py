"""The reason of a match: what it quotes, and what it says where there is nothing to quote."""

from dataclasses import replace
from time import time

import pytest

from secretary_tui.routing.index.lexical import Field, TermHit
from secretary_tui.routing.match.learned import Lift
from secretary_tui.routing.match.reason import NO_WORDS_IN_COMMON, Evidence, reason_for
from tests.routing.library import make_agent

SQL = make_agent("sql-pro", "Writes complex queries. Tunes PostgreSQL and slow reports.")
NOTHING = Evidence(SQL, (), (), 0.0, None, finds_causes=False)
CHOSEN = Lift(1.0, 1.0, 0.0, 1, 0, written=False, request="why is the\nreport slow")


def hit(word, field, found=""):
    return TermHit(word, found or word, field, 1.0, 1.0)


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        (NOTHING, "“Writes complex queries”"),
        (replace(NOTHING, spec=make_agent("sql-pro", "")), NO_WORDS_IN_COMMON),
        (replace(NOTHING, hits=[hit("queries", Field.DESCRIPTION)]), "“Writes complex queries”"),
        (replace(NOTHING, hits=[hit("sql", Field.NAME)]), "for sql"),
        (
            replace(NOTHING, hits=[hit("index", Field.BODY), hit("vacuum", Field.BODY)]),
            "its instructions mention index and vacuum",
        ),
        (replace(NOTHING, near=["tables"]), "close in meaning to “tables”"),
        (replace(NOTHING, sentences=0.5), "close in meaning: “Writes complex queries”"),
        (
            replace(NOTHING, hits=[hit("qeries", Field.DESCRIPTION, "queries")]),
            "“Writes complex queries”; “qeries” read as queries",
        ),
        (
            replace(NOTHING, hits=[hit("slow", Field.DESCRIPTION)], finds_causes=True),
            "“Tunes PostgreSQL and slow reports”; finds causes",
        ),
        (replace(NOTHING, finds_causes=True), "finds causes"),
        (
            replace(NOTHING, lift=replace(CHOSEN, at=time() - 3 * 86_400 - 60)),
            "you chose it for “why is the report slow” (3 days ago)",
        ),
        (
            replace(NOTHING, lift=replace(CHOSEN, chosen=2, elsewhere=True)),
            "you chose it 2 times, such as for “why is the report slow” (in another project)",
        ),
    ],
)
def test_the_reason_is_in_words_a_user_can_check(evidence, reason):
    assert reason_for(evidence) == reason
