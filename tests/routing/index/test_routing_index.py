"""The index: kept while files do not change, and the same with numpy, without, and from a file."""

from dataclasses import replace

import pytest

from secretary_tui.routing.index.arithmetic import PlainArithmetic
from secretary_tui.routing.index.routing_index import ENOUGH_FOR_NUMPY, RoutingIndex
from secretary_tui.routing.index.stored_index import dump_index, load_index
from secretary_tui.routing.match.matcher import LocalMatcher
from tests.routing.library import LIBRARY, make_agent

REQUESTS = ("review auth", "why is the kuberentes deployment slow", "valgrind", "lasagna", "c")
LARGE = tuple(
    replace(spec, name=f"{spec.name}-{number}", path=spec.path.with_name(f"{number}{spec.name}.md"))
    for number in range(ENOUGH_FOR_NUMPY // len(LIBRARY) + 1)
    for spec in LIBRARY
)


@pytest.mark.parametrize("library", [LIBRARY, LARGE], ids=["small", "large"])
def test_a_stored_index_ranks_like_the_one_that_was_built(library):
    built, loaded = LocalMatcher(library), LocalMatcher(library)
    loaded.index = load_index(dump_index(built.index))
    for request in REQUESTS:
        assert loaded.rank(request) == built.rank(request)


def test_a_large_library_ranks_with_numpy_as_without():
    fast = LocalMatcher(LARGE)
    plain = LocalMatcher(LARGE)
    assert not isinstance(fast.index.arithmetic, PlainArithmetic)
    plain.index = RoutingIndex(fast.index.lexical, fast.index.vectors, PlainArithmetic())
    for request in REQUESTS:
        assert plain.rank(request) == fast.rank(request)


def test_only_a_changed_agent_is_analysed_again():
    before = LocalMatcher(LIBRARY)
    before.rank("warm")
    changed = (*LIBRARY[1:], replace(LIBRARY[0], prompt="Now about helicopters."))
    after = LocalMatcher(changed, before)
    after.rank("warm")
    kept, now = before._analysed, after._analysed
    assert len(now) == len(LIBRARY)
    assert sum(now[document] is kept.get(document) for document in now) == len(LIBRARY) - 1


def test_what_was_kept_ranks_like_what_is_new():
    before = LocalMatcher(LIBRARY)
    before.rank("warm")
    changed = (*LIBRARY[2:], make_agent("pilot", "Flies helicopters."))
    for request in (*REQUESTS, "helicopters"):
        fresh = LocalMatcher(changed).rank(request)
        assert LocalMatcher(changed, before).rank(request) == fresh


def test_what_was_kept_survives_a_matcher_that_never_ranked():
    first = LocalMatcher(LIBRARY)
    first.rank("warm")
    unused = LocalMatcher(LIBRARY, first)
    last = LocalMatcher(LIBRARY, unused)
    last.rank("warm")
    assert all(last._analysed[key] is value for key, value in first._analysed.items())
