"""Directions on disk: never lost by a crash, never mixed up, never wrong, never endless."""

import multiprocessing
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from secretary_tui.routing.sentences.sentence_cache import KEY_BYTES, SentenceCache

SIZE = 8
RECORD = KEY_BYTES + SIZE + 4


def key(number):
    return number.to_bytes(KEY_BYTES, "big")


def value(number):
    return number.to_bytes(SIZE, "big")


def records(numbers):
    return {key(number): value(number) for number in numbers}


def test_what_was_added_is_there_and_nothing_else(tmp_path):
    path = tmp_path / "folder" / "cache"
    cache = SentenceCache(path, SIZE)
    assert cache.read([key(1)]) == {}
    cache.add(records(range(5)), ())
    cache.add(records(range(5, 9)), ())
    assert SentenceCache(path, SIZE).read(map(key, (3, 8, 77))) == records((3, 8))
    assert path.stat().st_mode & 0o777 == 0o600


@settings(max_examples=60)
@given(data=st.data())
def test_damage_costs_the_damaged_record_only(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("cache") / "cache"
    cache = SentenceCache(path, SIZE)
    cache.add(records(range(6)), ())
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    left = [number for number in range(6) if number != place // RECORD]
    assert cache.read(map(key, range(6))) == records(left)


def test_a_torn_record_is_cut_off_by_the_next_writer(tmp_path):
    path = tmp_path / "cache"
    cache = SentenceCache(path, SIZE)
    cache.add(records(range(3)), ())
    path.write_bytes(path.read_bytes()[:-7])
    cache.add(records((9,)), ())
    assert cache.read(map(key, range(10))) == records((0, 1, 9))


def test_beyond_its_bound_only_what_is_in_use_stays(tmp_path):
    path = tmp_path / "cache"
    cache = SentenceCache(path, SIZE, most_bytes=10 * RECORD)
    cache.add(records(range(8)), ())
    cache.add(records(range(8, 12)), map(key, (2, 9)))
    assert cache.read(map(key, range(12))) == records((2, 9))
    assert path.stat().st_size == 2 * RECORD
    assert not list(tmp_path.glob(".cache*"))


def test_a_folder_in_its_place_is_no_cache(tmp_path):
    assert SentenceCache(tmp_path, SIZE).read([key(1)]) == {}


def add_fifty(path: Path, start: int) -> None:
    cache = SentenceCache(path, SIZE)
    for number in range(start, start + 50):
        cache.add(records((number,)), ())


def test_programs_that_write_at_once_lose_nothing(tmp_path):
    path = tmp_path / "cache"
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=add_fifty, args=(path, n * 50)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert SentenceCache(path, SIZE).read(map(key, range(200))) == records(range(200))
