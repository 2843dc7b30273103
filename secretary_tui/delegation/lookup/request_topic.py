"""Finds the files that a request is probably about where it names none, by its rarer words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from secretary_tui.delegation.lookup.looked_up import Excerpt, tokens_of
from secretary_tui.delegation.lookup.pieces import SourceFile
from secretary_tui.delegation.lookup.project_sight import ProjectSight

MAX_JUDGED = 8
"""Files that are looked into."""
MOST_FILES = 2
ENOUGH = 0.4
"""The share of a request's words, by weight, that a file must contain."""
CLOSE = 0.6
"""The share of the best score that a file or definition must reach to be shown too."""
SHORT_TOKENS = 400
"""A file up to this is shown whole."""
_ENDINGS = re.compile(r"(?:ations?|ators?|ating|ated|ates?|ions?|ings?|ers?|ies|ied|ed|es|s|y|e)$")
_SHORTEST_STEM = 4
_OFF_TOPIC = re.compile(
    r"(?:.*/)?(?:tests?|__tests__|spec|fixtures|changelog\b.*|licen[sc]e\b.*)/?.*", re.I
)


class RequestTopic:
    """The words of a request, weighed by how rare they are in a project."""

    def __init__(self, sight: ProjectSight, words: Sequence[str]) -> None:
        self._sight = sight
        stems = [stem_of(word) for word in words]
        pairs = [
            f"{one}{sign}{other}"
            for one, other in zip(words, stems[1:], strict=False)
            for sign in ("", "_", "-", " ")
        ]
        held = sight.holding({*stems, *pairs})
        files = len(held) or 1
        counts = {stem: sum(stem in needles for needles in held.values()) for stem in stems}
        self._held = held
        self._weights = {
            stem: math.log(1 + files / count) if count else math.log(2 + files)
            for stem, count in counts.items()
        }
        self._pairs = frozenset(pairs)
        self._words = frozenset(words)

    def score(self, text: str) -> float:
        """Weigh the words that a text in small letters holds; neighbours count double."""
        value = sum(weight for stem, weight in self._weights.items() if stem in text)
        return value + sum(pair in text for pair in self._pairs)

    def files(self) -> list[SourceFile]:
        """Give the files that it may be about, at most two, the likeliest first."""
        total = sum(self._weights.values())
        ranked = []
        for path in sorted(self._held, key=self._rank, reverse=True)[:MAX_JUDGED]:
            if (content := self._sight.text(path, found=True)) is None:
                continue
            file = SourceFile(path, content)
            best = next(iter(file.matching(self.score)), None)
            is_named = best is not None and best.name.lower() in self._words
            covered = sum(self._weights.get(needle, 0.0) for needle in self._held[path])
            if total and (is_named or covered / total >= ENOUGH):
                text = file.text_of(best).lower() if best else ""
                value = self._rank(path) + self.score(text) * (3 if is_named else 1)
                ranked.append((value, file))
        ranked.sort(key=lambda one: -one[0])
        return [file for value, file in ranked[:MOST_FILES] if value >= CLOSE * ranked[0][0]]

    def pieces(self, file: SourceFile, budget: int) -> list[Excerpt]:
        """Give a short file whole, of another the definitions that it is about."""
        if tokens_of(file.text) <= min(budget, SHORT_TOKENS):
            return [file.piece(1, len(file.lines), budget)]
        ranked = file.matching(self.score)
        if not ranked:
            return file.best((), budget)
        least = CLOSE * self.score(file.text_of(ranked[0]).lower())
        return file.pieces(
            [one for one in ranked if self.score(file.text_of(one).lower()) >= least], budget
        )

    def _rank(self, path: str) -> float:
        value = sum(self._weights.get(needle, 1.0) for needle in self._held[path])
        value += 2 * self.score(path.lower())
        return value / 2 if _OFF_TOPIC.fullmatch(path) else value


def stem_of(word: str) -> str:
    """Take the ending from a word, so that `retries` and `retry` meet."""
    stem = _ENDINGS.sub("", word)
    return stem if len(stem) >= _SHORTEST_STEM else word.removesuffix("s")
