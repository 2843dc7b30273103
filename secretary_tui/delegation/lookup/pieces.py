"""Which piece of a file is shown: all of it, a definition, the lines around one, or its head."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from secretary_tui.delegation.lookup.definitions import (
    SourceDefinition,
    defined_as,
    definitions_in,
)
from secretary_tui.delegation.lookup.looked_up import (
    CHARACTERS_PER_TOKEN,
    FRAME_TOKENS,
    Excerpt,
    fitting,
    tokens_of,
)

AROUND = 6
"""Lines shown on each side of one that is named."""
_NEXT_TO = 3
_LENGTH_WEIGHT = 0.25
MIN_PIECE = 40
"""Tokens; a smaller piece is too short to be of use."""


@dataclass(frozen=True)
class SourceFile:
    """One file of the project as it is now."""

    path: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """Its lines, without line ends."""
        return self.text.removesuffix("\n").split("\n")

    @cached_property
    def definitions(self) -> list[SourceDefinition]:
        """What is defined in it."""
        return definitions_in(self.path, self.lines)

    def piece(self, first: int, last: int, budget: int) -> Excerpt:
        """Cut out lines `first` to `last`, as many as fit; of one huge line its beginning."""
        lines = self.lines[first - 1 : last]
        count = max(1, fitting(lines, budget))
        text = "\n".join(lines[:count])
        if count == 1 and tokens_of(text) > budget:
            text = text[: int(max(budget, 1) * CHARACTERS_PER_TOKEN)]
            is_whole = False
        else:
            is_whole = first == 1 and count == len(self.lines)
        last = first + count - 1
        title = self.path if is_whole else f"{self.path} lines {first}-{last}"
        return Excerpt(title, text, self.path, first, is_whole)

    def best(self, words: Collection[str], budget: int) -> list[Excerpt]:
        """Choose all of it, or the definitions that share most words with a request, or its head.

        The first is the likeliest.
        """
        if tokens_of(self.text) <= budget:
            return [self.piece(1, len(self.lines), budget)]
        ranked = self.matching(lambda text: float(sum(word in text for word in words)))
        return self.pieces(ranked, budget) or [self.piece(1, len(self.lines), budget)]

    def pieces(self, ranked: Sequence[SourceDefinition], budget: int) -> list[Excerpt]:
        """Give definitions, the likeliest first, as far as they fit; the first even if it is cut.

        Those that stand next to each other become one piece.
        """
        chosen: list[SourceDefinition] = []
        left = budget
        for one in ranked:
            cost = tokens_of(self.text_of(one)) + FRAME_TOKENS
            is_inside = any(c.first <= one.last and one.first <= c.last for c in chosen)
            if not is_inside and (not chosen or cost <= left):
                chosen.append(one)
                left -= cost
        spans: list[tuple[int, int]] = []
        for one in sorted(chosen, key=lambda one: one.first):
            if spans and one.first - spans[-1][1] <= _NEXT_TO:
                spans[-1] = (spans[-1][0], one.last)
            else:
                spans.append((one.first, one.last))
        spans.sort(key=lambda span: not span[0] <= chosen[0].first <= span[1])
        return [self.piece(first, last, budget) for first, last in spans]

    def matching(self, score: Callable[[str], float]) -> list[SourceDefinition]:
        """List the definitions that score above 0, the highest first.

        A match in the name counts double; a long text counts less than a short one with as much.
        """
        ranked = []
        for one in self.definitions:
            text = self.text_of(one)
            if (value := score(text.lower()) + 2 * score(one.name.lower())) > 0:
                ranked.append((-value / len(text) ** _LENGTH_WEIGHT, one.first, one))
        return [one for *_, one in sorted(ranked, key=lambda rank: rank[:2])]

    def text_of(self, one: SourceDefinition) -> str:
        """Give the lines of a definition."""
        return "\n".join(self.lines[one.first - 1 : one.last])

    def defined(self, name: str) -> SourceDefinition | None:
        """Find the definition with a name; None where there is none."""
        named = defined_as(name, self.definitions)
        # A function may be declared several times: the longest is the one with a body.
        return max(named, key=lambda one: one.last - one.first, default=None)

    def around(self, line: int, budget: int) -> Excerpt | None:
        """Give the function that a line stands in, if it fits, else the lines next to it."""
        if not 1 <= line <= len(self.lines):
            return None
        for one in reversed(self.definitions):
            if one.first <= line <= one.last and one.last > one.first:
                if tokens_of(self.text_of(one)) <= budget:
                    return self.piece(one.first, one.last, budget)
                break
        return self.piece(max(1, line - AROUND), min(len(self.lines), line + AROUND), budget)

    def parts(self, budget: int) -> tuple[Excerpt, ...]:
        """Cut it into pieces that fit, in order, where definitions begin if possible."""
        cuts = {one.first: one.depth for one in self.definitions}
        found = []
        first = 1
        while first <= len(self.lines):
            count = max(1, fitting(self.lines[first - 1 :], budget))
            after = first + count
            if after <= len(self.lines):
                inside = range(first + 1, after + 1)
                blank = {at for at in inside if not self.lines[at - 2].strip()}
                # Where the outermost thing begins; of several such the last.
                ranked = [(-cuts.get(at, 50 if at in blank else 99), at) for at in inside]
                after = max(ranked)[1]
            found.append(self.piece(first, after - 1, budget))
            first = after
        return tuple(found)
