"""Gives matchers the meaning of sentences: in a thread of its own, from what is known on disk.

Until it is done, a matcher ranks without. What takes long, reading the descriptions, happens once
for each text: after a change of one file only that file's is read.
"""

from __future__ import annotations

import logging
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from secretary_tui import paths
from secretary_tui.routing.sentences.sentence_cache import SentenceCache
from secretary_tui.routing.sentences.sentence_model import (
    SentenceModelError,
    SentenceModelFiles,
    find_sentence_model,
)

if TYPE_CHECKING:
    from secretary_tui.routing.match.matcher import LocalMatcher
    from secretary_tui.routing.sentences.encoder import Encoder
    from secretary_tui.routing.words.described import Described

Tell = Callable[[int, int], None]
"""Told how many descriptions are left to be read, and how many there were."""
_AT_ONCE = 4
"""Descriptions between two looks at whether somebody is still waiting: about .1 s."""
_PER_WRITE = 64
"""Descriptions after which what was computed is put on disk."""
_NICENESS = 10
_LOG = logging.getLogger(__name__)


class SentenceIndexer:
    """Owns the model, what is known of descriptions, and the thread that learns more.

    It serves one matcher at a time: a newer one takes the place of the one before.
    """

    def __init__(
        self,
        find: Callable[[], SentenceModelFiles | None] = find_sentence_model,
        cache: Path | None = None,
    ) -> None:
        self.problem = ""
        """Why there is no meaning of sentences although the model is here."""
        self.unread = 0
        """Descriptions that are being read, which takes seconds once; 0 when none are."""
        self._find = find
        self._cache = cache or paths.cache_dir() / "sentences"
        self._files: SentenceModelFiles | None = None
        self._model: Encoder | None = None
        self._known: dict[bytes, bytes] = {}
        self._building = threading.Lock()
        self._changing = threading.Lock()
        self._next: LocalMatcher | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def start(self, matcher: LocalMatcher) -> None:
        """Give a matcher the meaning of sentences as soon as it is known; returns at once."""
        with self._changing:
            if self._closed:
                return
            self._next = matcher
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="sentences", daemon=True)
                self._thread.start()

    def build(
        self,
        matcher: LocalMatcher,
        within_s: float = math.inf,
        tell: Tell = lambda _, __: None,
    ) -> bool:
        """The same, blocking; False when the model is missing or the time did not suffice.

        What was computed until then is kept, so that the next call goes on from there. `tell` is
        told how many descriptions are left and were to be read, before that takes its time and
        while it does.
        """
        until = time.monotonic() + within_s
        return self._build(matcher, lambda: self._closed or time.monotonic() > until, tell)

    def close(self) -> None:
        """Let the thread end; waits for the few descriptions that it is reading."""
        with self._changing:
            self._closed = True
            self._next = None
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        if sys.platform == "linux":  # Elsewhere this would slow the whole program down.
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
        while (matcher := self._take()) is not None:
            self._build(matcher, lambda: self._closed or self._next is not None)

    def _take(self) -> LocalMatcher | None:
        with self._changing:
            matcher, self._next = self._next, None
            if matcher is None:
                self._thread = None
            return matcher

    def _build(
        self,
        matcher: LocalMatcher,
        stop: Callable[[], bool],
        tell: Tell = lambda _, __: None,
    ) -> bool:
        with self._building:
            try:
                return self._build_alone(matcher, stop, tell)
            except SentenceModelError as error:
                self.problem = str(error)
                _LOG.warning("%s", error)
                return False
            finally:
                self.unread = 0

    def _build_alone(self, matcher: LocalMatcher, stop: Callable[[], bool], tell: Tell) -> bool:
        model = self._open()
        if model is None or not len(matcher):
            return False
        # Imported here: numpy comes along.
        from secretary_tui.routing.sentences.sentences import SentenceIndex, packed_bytes, unpack

        described = matcher.described()
        keys = [each.key for each in described]
        cache = SentenceCache(self._cache_file(), packed_bytes(model.shape.width))
        if not self._known.keys() >= set(keys):
            self._known.update(cache.read(keys))
        missing = {
            key: each for key, each in zip(keys, described, strict=True) if key not in self._known
        }
        self.unread = len(missing)
        if missing:
            tell(self.unread, len(missing))
        unwritten: dict[bytes, bytes] = {}
        for found in _read(model, missing, stop):
            self._known.update(found)
            unwritten.update(found)
            self.unread -= len(found)
            tell(self.unread, len(missing))
            if len(unwritten) >= _PER_WRITE:
                self._store(cache, unwritten, keys)
                unwritten = {}
        if unwritten:
            self._store(cache, unwritten, keys)
        if not self._known.keys() >= set(keys):
            return False
        self._known = {key: self._known[key] for key in keys}
        matcher.sentences = SentenceIndex(model, unpack([self._known[key] for key in keys]))
        return True

    def _open(self) -> Encoder | None:
        """The best model that is here; another than before when a better one was downloaded."""
        files = self._find()
        if files is None:
            return None
        if self._model is None or files != self._files:
            if files.vocabulary != files.weights:  # A download was verified when it came.
                files.verify()
            self._model, self._files, self._known = files.load(), files, {}
        return self._model

    def _cache_file(self) -> Path:
        """Where all programs keep the directions of this model."""
        sha256 = self._files.model.weights.sha256 if self._files else ""
        return self._cache / f"{sha256[:16]}.directions"

    def _store(
        self, cache: SentenceCache, found: dict[bytes, bytes], keys: Sequence[bytes]
    ) -> None:
        try:
            cache.add(found, keys)
        except OSError as error:  # It will be computed again, no more.
            _LOG.warning("the meaning of descriptions can't be kept: %s", error)


def _read(
    model: Encoder, missing: dict[bytes, Described], stop: Callable[[], bool]
) -> Iterator[dict[bytes, bytes]]:
    """Compute what is missing in small portions, until somebody says stop."""
    from secretary_tui.routing.sentences.sentences import directions_of

    # Of similar length together: a long description would make the others of its portion wait.
    keys = sorted(missing, key=lambda key: len(missing[key].description))
    for start in range(0, len(keys), _AT_ONCE):
        if start and stop():  # However short the time is, each call brings something.
            break
        portion = keys[start : start + _AT_ONCE]
        yield dict(zip(portion, directions_of(model, [missing[k] for k in portion]), strict=True))
