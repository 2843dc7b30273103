"""Looks up one request: what it names, each thing whole if it fits, within one budget of tokens.

Where it names nothing, its rarer words are searched for (`request_topic`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from secretary_tui.delegation.lookup.definitions import SourceDefinition
from secretary_tui.delegation.lookup.looked_up import (
    FRAME_TOKENS,
    Excerpt,
    ExcerptOrigin,
    LookedUp,
    tokens_of,
)
from secretary_tui.delegation.lookup.pieces import MIN_PIECE, SourceFile
from secretary_tui.delegation.lookup.project_changes import Change, ProjectChanges
from secretary_tui.delegation.lookup.project_facts import (
    folder_lines,
    overview,
    readme,
    readme_head,
    test_files,
    tests_facts,
)
from secretary_tui.delegation.lookup.project_sight import ProjectSight
from secretary_tui.delegation.lookup.request_names import (
    FileNames,
    NamedPlace,
    content_words,
    read_request,
    shortened,
)
from secretary_tui.delegation.lookup.request_topic import RequestTopic, stem_of

MAX_LOOKED_INTO = 10
"""Files that hold a name and are searched for its definition."""
MAX_SMALL_FILES = 12
"""A project of so few files may be shown whole."""
MAX_FOUND_LINES = 40
MAX_SYMBOLS = 4
MAX_PLACES = 8
MAX_LEFT_OUT = 10
RESERVED = 150
"""Tokens kept free for each thing that is still to be looked up."""
_TEST_HEAD = 25
_DEFINING = (
    *("def", "class", "function", "func", "fn", "fun", "const", "let", "var", "type", "interface"),
    *("struct", "enum", "trait", "module", "#", "##", "###"),
)
_MAKES = re.compile(r"\b(?:add|write|create|put|implement|new)\b", re.I)
Pieces = Callable[[int], Sequence[Excerpt | None]]
"""Takes a number of tokens, and returns the excerpts of one thing that fit into it."""


class RequestLookup:
    """One look-up: holds what was found so far, and what is left of the budget.

    Args:
        shows_all: Whether a very small project is shown whole where nothing is named.
    """

    def __init__(
        self, sight: ProjectSight, request: str, budget: int, *, shows_all: bool = True
    ) -> None:
        request = shortened(request)
        self._sight = sight
        self._left = budget - 2 * FRAME_TOKENS
        self._names = FileNames(sight.listed, sight.dotted, sight.is_file)
        self._asked = read_request(request, self._names, str(sight.workspace.root))
        self._stems = [stem_of(word) for word in content_words(request)]
        self._makes = _MAKES.search(request) is not None
        self._shows_all = shows_all
        self._found: list[Excerpt] = []
        self._left_out: list[str] = []

    def run(self) -> LookedUp:
        """Look up all that is named, then what it may be about."""
        asked = self._asked
        places = asked.places[:MAX_PLACES]
        self._left_out += [place.path for place in asked.places[MAX_PLACES:]]
        named = [
            *self._of_change(),
            *((place.path, self._of_place(place)) for place in places),
            *self._of_symbols(),
        ]
        for position, (name, pieces) in enumerate(named):
            if self._left < FRAME_TOKENS + MIN_PIECE:
                self._left_out.append(name)
            self._take(pieces, len(named) - position)
        self._left_out += asked.more_of_name
        for folder in asked.folders:
            self._take(self._facts(f"{folder}/", "\n".join(folder_lines(self._sight, folder))))
        if asked.about_tests:
            self._show_tests()
        # How tests are run answers "run the tests", and not "which tests cover the parser".
        is_open = not self._found or (asked.about_tests and not named and bool(asked.words))
        if asked.about_project and not named:
            self._show_project()
        elif is_open and (self._found or not self._show_all()):
            self._show_topic()
        is_about_it = asked.near_project or (asked.is_question and asked.words)
        if is_about_it and not self._found and not named:
            self._show_project()
        return LookedUp(tuple(self._found), tuple(dict.fromkeys(self._left_out))[:MAX_LEFT_OUT])

    def _take(self, pieces: Pieces, sharers: int = 1) -> None:
        """Add what is found of one thing, with enough left for those behind it."""
        room = self._left - FRAME_TOKENS
        if room < MIN_PIECE:
            return
        given = pieces(max(room // sharers, room - (sharers - 1) * RESERVED))
        for excerpt in sorted(filter(None, given), key=lambda one: one.first_line):
            if excerpt.text.strip() and not self._is_shown(excerpt):
                self._found.append(excerpt)
                self._left -= tokens_of(excerpt.text) + FRAME_TOKENS

    def _is_shown(self, excerpt: Excerpt) -> bool:
        return any(
            excerpt.path == other.path != ""
            and other.first_line <= excerpt.first_line
            and excerpt.last_line <= other.last_line
            for other in self._found
        )

    def _of_place(self, place: NamedPlace) -> Pieces:
        def pieces(budget: int) -> Sequence[Excerpt | None]:
            text = self._sight.text(place.path)
            if text is None:
                self._left_out.append(f"{place.path} (can't be read here)")
                return ()
            file = SourceFile(place.path, text)
            if place.line:
                return (file.around(place.line, budget),)
            return file.best(self._stems, budget)

        return pieces

    def _of_symbols(self) -> list[tuple[str, Pieces]]:
        """The definitions of what looks like code; where one is used, if that matters."""
        pieces: list[tuple[str, Pieces]] = []
        names = self._asked.symbols[:MAX_SYMBOLS]
        for name, (file, found) in find_definitions(self._sight, names).items():
            pieces.append((name, _one(file.piece, found.first, found.last)))
            if self._asked.about_uses:
                pieces.append((f"uses of {name}", _one(search, self._sight, bare_name(name))))
        return pieces

    def _of_change(self) -> list[tuple[str, Pieces]]:
        which = self._asked.change
        if which is None:
            return []
        repository = ProjectChanges(self._sight)
        changed = repository.change(which)
        if not changed and which is not Change.HISTORY:
            # Whoever asks about a change that is committed by now means that one.
            changed = repository.change(Change.LAST_COMMIT)
        return [(which.value, _one(_joined, changed))] if changed else []

    def _facts(self, title: str, text: str) -> Pieces:
        return _one(_facts, title, text)

    def _show_tests(self) -> None:
        self._take(self._facts("tests", tests_facts(self._sight)))
        if self._makes and (example := next(iter(test_files(self._sight)), "")):
            file = SourceFile(example, self._sight.text(example) or "")
            self._take(_one(file.piece, 1, _TEST_HEAD))

    def _show_project(self) -> None:
        self._take(self._facts("this project", overview(self._sight)), 2)
        if path := readme(self._sight):
            file = SourceFile(path, self._sight.text(path) or "")
            self._take(_one(file.piece, 1, readme_head(file.lines)))

    def _show_all(self) -> bool:
        """Show a very small project whole, if all of it fits."""
        paths = self._sight.listed
        if not self._shows_all or len(paths) > MAX_SMALL_FILES:
            return False
        files = [SourceFile(path, self._sight.text(path) or "") for path in paths]
        if sum(tokens_of(file.text) + FRAME_TOKENS for file in files) > self._left:
            return False
        for file in files:
            self._take(_one(file.piece, 1, len(file.lines)))
        return True

    def _show_topic(self) -> None:
        topic = RequestTopic(self._sight, self._asked.words)
        for file in topic.files():
            self._take(partial(topic.pieces, file), 2)


def find_definitions(
    sight: ProjectSight, names: Sequence[str]
) -> dict[str, tuple[SourceFile, SourceDefinition]]:
    """Find where names are defined, those outside of tests first."""
    phrases = {n: {f"{word} {bare_name(n)}" for word in _DEFINING} for n in names}
    held = sight.holding({bare_name(name) for name in names}.union(*phrases.values()))
    found: dict[str, tuple[SourceFile, SourceDefinition]] = {}
    for name in names:
        # Where it stands behind a word that defines, it is looked for first.
        ranked = sorted(
            (path for path, needles in held.items() if bare_name(name) in needles),
            key=lambda path: (held[path].isdisjoint(phrases[name]), "test" in path.lower()),
        )
        for path in ranked[:MAX_LOOKED_INTO]:
            file = SourceFile(path, sight.text(path, found=True) or "")
            if (one := file.defined(name)) is not None:
                found.setdefault(name, (file, one))
                if one.name == bare_name(name):  # Not only in another manner or case.
                    found[name] = (file, one)
                    break
    return found


def search(sight: ProjectSight, wanted: str, budget: int) -> Excerpt | None:
    """Find the lines that contain a text in any letter case, with their paths and numbers."""
    found: list[str] = []
    for path in sight.holding({wanted}):
        for number, line in enumerate((sight.text(path, found=True) or "").split("\n"), 1):
            if wanted.casefold() in line.casefold():
                found.append(f"{path}:{number}: {line.strip()[:200]}")
        if len(found) >= MAX_FOUND_LINES:
            break
    return _facts(f"lines with {wanted}", "\n".join(found[:MAX_FOUND_LINES]), budget)


def bare_name(name: str) -> str:
    """Return the last part of `Class.method`, its name there; a heading stays as it is."""
    return name if " " in name else name.replace("::", ".").rpartition(".")[2]


def _facts(title: str, text: str, budget: int) -> Excerpt | None:
    if not text:
        return None
    cut = SourceFile("", text)
    piece = cut.piece(1, len(cut.lines), budget)
    return Excerpt(title, piece.text, is_whole=piece.is_whole, origin=ExcerptOrigin.PROJECT)


def _joined(pieces: Sequence[Excerpt], budget: int) -> Excerpt:
    """Put the pieces of a change together: each gets its share of the budget."""
    texts = []
    is_whole = True
    for position, piece in enumerate(pieces):
        cut = SourceFile("", piece.text)
        share = cut.piece(1, len(cut.lines), budget // (len(pieces) - position))
        budget = max(0, budget - tokens_of(share.text))
        is_whole = is_whole and share.is_whole
        texts.append(share.text if share.is_whole else f"{share.text}\n[cut]")
    return Excerpt(pieces[0].title, "\n".join(texts), is_whole=is_whole, origin=ExcerptOrigin.GIT)


def _one(give: Callable[..., Excerpt | None], *arguments: object) -> Pieces:
    """Turn a function that returns one excerpt, its last argument the budget, into `Pieces`."""
    return lambda budget: (give(*arguments, budget),)
