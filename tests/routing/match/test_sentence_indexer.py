"""The meaning of sentences comes in the background, once for each text, and never in the way."""

import threading
from dataclasses import replace

import pytest

from secretary_tui.config import Config
from secretary_tui.engines.local.catalogue import LARGE_SENTENCE_MODEL
from secretary_tui.routing.match import sentence_indexer
from secretary_tui.routing.match.explanation import explain_route
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.match.sentence_indexer import SentenceIndexer
from secretary_tui.routing.recommend.recommender import route_local
from secretary_tui.routing.sentences.architecture import MINILM, MPNET
from secretary_tui.routing.sentences.sentence_model import SentenceModel
from tests.routing.library import LIBRARY, make_agent
from tests.routing.sentence_model import write_model


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def indexer(files, tmp_path):
    made = SentenceIndexer(lambda: files, tmp_path / "directions")
    yield made
    made.close()


@pytest.fixture
def read(monkeypatch):
    """The texts that were read by the model."""
    texts = []
    plain = sentence_indexer._read

    def spy(model, missing, stop):
        texts.extend(each.description for each in missing.values())
        return plain(model, missing, stop)

    monkeypatch.setattr(sentence_indexer, "_read", spy)
    return texts


def wait_for(indexer):
    while (thread := indexer._thread) is not None:
        thread.join(60)


def test_a_matcher_ranks_by_words_until_sentences_are_there(indexer):
    matcher = LocalMatcher(LIBRARY)
    before = matcher.judge("review code", 3)
    assert before.scores.sentences is None
    indexer.start(matcher)
    wait_for(indexer)
    after = matcher.judge("review code", 3)
    assert after.scores.sentences is not None
    assert len(after.scores.sentences) == len(matcher)
    assert matcher.rank("review code")


def test_who_says_the_same_as_the_request_is_close_to_it(indexer):
    matcher = LocalMatcher((*LIBRARY, make_agent("baker", "Bake bread.")))
    assert indexer.build(matcher)
    request = matcher.judge("bake bread.", 3)
    number = request.order[0]
    assert matcher.groups[number][0].name == "baker"
    assert request.features[0].sentences > 0.999
    assert matcher.rank("bake bread.")[0].reason == "“Bake bread”"


def test_only_a_changed_description_is_read_again(indexer, read):
    assert indexer.build(LocalMatcher(LIBRARY))
    read.clear()
    prompt = replace(LIBRARY[0], prompt="Something else.")
    assert indexer.build(LocalMatcher((prompt, *LIBRARY[1:])))
    assert read == []
    assert indexer.build(LocalMatcher((*LIBRARY[1:], make_agent("pilot", "Flies helicopters."))))
    assert read == ["Flies helicopters."]


def test_the_next_program_reads_nothing_again(indexer, files, tmp_path, read):
    first, second = LocalMatcher(LIBRARY), LocalMatcher(LIBRARY)
    assert indexer.build(first)
    read.clear()
    assert SentenceIndexer(lambda: files, tmp_path / "directions").build(second)
    assert read == []
    assert second.rank("review code") == first.rank("review code")


def test_a_damaged_cache_is_made_again(indexer, files, tmp_path):
    first, second = LocalMatcher(LIBRARY), LocalMatcher(LIBRARY)
    assert indexer.build(first)
    (path,) = (tmp_path / "directions").iterdir()
    path.write_bytes(bytes(len(path.read_bytes())))
    assert SentenceIndexer(lambda: files, path.parent).build(second)
    assert second.rank("review code") == first.rank("review code")


def test_a_cache_that_can_not_be_written_is_done_without(files, tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert SentenceIndexer(lambda: files, tmp_path / "file" / "x").build(LocalMatcher(LIBRARY))


def test_without_time_the_ranking_stays_and_what_was_read_is_kept(indexer, read):
    matcher = LocalMatcher(LIBRARY)
    assert not indexer.build(matcher, within_s=-1)
    assert matcher.sentences is None
    left = [len(read)]
    while not indexer.build(matcher, within_s=-1):
        read.clear()
        indexer.build(matcher, within_s=-1)
        left.append(len(read))
        assert left[-1] < left[-2]
    assert matcher.sentences is not None


def test_without_a_model_nothing_happens(tmp_path):
    indexer = SentenceIndexer(lambda: None, tmp_path / "directions")
    matcher = LocalMatcher(LIBRARY)
    assert not indexer.build(matcher)
    assert (matcher.sentences, indexer.problem) == (None, "")
    assert not (tmp_path / "directions").exists()


def test_a_damaged_model_is_a_problem_and_words_still_rank(files, tmp_path):
    path = tmp_path / "semantic.bin"
    path.write_bytes(files.weights.read_bytes()[:1000])
    indexer = SentenceIndexer(lambda: replace(files, weights=path, vocabulary=path))
    matcher = LocalMatcher(LIBRARY)
    assert not indexer.build(matcher)
    assert "model get semantic" in indexer.problem
    assert matcher.rank("review code")


def test_the_newest_matcher_is_served(indexer):
    matchers = [LocalMatcher(LIBRARY[number:]) for number in range(3)]
    for matcher in matchers:
        indexer.start(matcher)
    wait_for(indexer)
    assert matchers[-1].sentences is not None


def test_closing_ends_the_thread_and_nothing_starts_again(indexer):
    indexer.start(LocalMatcher(LIBRARY))
    indexer.close()
    assert not any(thread.name == "sentences" for thread in threading.enumerate())
    indexer.start(LocalMatcher(LIBRARY))
    assert indexer._thread is None


def test_an_empty_library_needs_no_sentences(indexer):
    assert not indexer.build(LocalMatcher(()))


def test_how_many_descriptions_are_left_is_told_before_and_while_they_are_read(indexer):
    told = []

    def tell(left, of):
        assert left == indexer.unread
        told.append((left, of))

    matcher = LocalMatcher(LIBRARY)
    assert indexer.build(matcher, tell=tell)
    assert (told[0], told[-1]) == ((len(matcher), len(matcher)), (0, len(matcher)))
    assert sorted(told, reverse=True) == told
    told.clear()
    assert indexer.build(LocalMatcher(LIBRARY), tell=tell)
    assert told == []


def test_a_better_model_takes_over_and_keeps_its_own_directions(files, tmp_path):
    shape = replace(MPNET, width=24, layers=1, inner=32, special=MINILM.special)
    weights = replace(LARGE_SENTENCE_MODEL, sha256="b" * 64)
    better = write_model(tmp_path, SentenceModel(weights, shape))
    here = [files]
    indexer = SentenceIndexer(lambda: here[-1], tmp_path / "directions")
    matcher = LocalMatcher(LIBRARY)
    assert indexer.build(matcher)
    here.append(better)
    assert indexer.build(matcher)
    assert matcher.sentences.directions.shape == (len(matcher), 24)
    assert len(list((tmp_path / "directions").iterdir())) == 2


def test_an_explanation_adds_up_with_sentences_too(indexer):
    matcher = LocalMatcher(LIBRARY)
    indexer.start(matcher)
    wait_for(indexer)
    explained = explain_route(
        route_local(matcher, "why is the query slow", Config()), matcher, Config()
    )
    for each in explained.ranking:
        assert sum(part.score for part in each.parts) == pytest.approx(each.score)
    labels = {part.label for each in explained.ranking for part in each.parts}
    assert "sentences" in labels
