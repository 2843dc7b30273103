"""What a request names: files, lines, definitions, changes, the project, its tests. Rules only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from secretary_tui.delegation.lookup.project_changes import Change

MOST_NAMED = 3
"""Files of one name that are shown."""
MOST_FRAMES = 4
MAX_REQUEST = 20_000
"""Characters of a request that are looked at: its beginning and its end."""
MAX_WORDS = 100
"""Words of content of one request."""
_LONGEST_TOKEN = 200
_DEEPEST = 12
"""Folders on the way to one that can be named."""
_ALIASES: tuple[tuple[str, str], ...] = (
    (r"read-?me", r"(?:.*/)?readme(?:\.\w+)?"),
    (r"(?:docker[ -])?compose(?: file)?", r"(?:.*/)?(?:docker-)?compose[\w.-]*\.ya?ml"),
    (
        r"docker ?(?:file|image|build)",
        r"(?:.*/)?(?:dockerfile[\w.-]*|.*\.dockerfile|containerfile)",
    ),
    (r"make ?file|make targets?", r"(?:.*/)?(?:gnu)?makefile"),
    (
        r"change ?log|release notes",
        r"(?:.*/)?(?:changelog|changes|history|news)(?:\.(?:md|rst|txt))?",
    ),
    (r"licen[sc]e", r"(?:licen[sc]e|copying)(?:\.\w+)?"),
    (
        r"ci|(?:the|this|our) pipeline|github (?:actions?|workflows?)"
        r"|(?:build|deploy|release|ci) (?:workflow|pipeline|job)",
        r"\.(?:ci|github|buildkite|woodpecker)/.*\.ya?ml|\.gitlab-ci\.ya?ml"
        r"|\.circleci/config\.yml|jenkinsfile|azure-pipelines\.yml|\.travis\.yml|bitbucket-pipelines\.yml",
    ),
    (r"npm scripts?", r"package\.json"),
    (
        r"dependencies|manifest",
        r"package\.json|pyproject\.toml|requirements[\w-]*\.txt|go\.mod|cargo\.toml|gemfile"
        r"|pom\.xml|build\.gradle(?:\.kts)?|composer\.json",
    ),
    (r"git ?ignore(?: file)?", r"\.gitignore"),
)
_CHANGES: tuple[tuple[Change, str], ...] = (
    (Change.STAGED, r"\bstaged\b"),
    (
        Change.LAST_COMMIT,
        r"\b(?:last|latest|previous|newest|most recent) commit\b|(?-i:\bHEAD\b)(?! requests?)",
    ),
    (Change.HISTORY, r"\b(?:recent|last \w+|latest) commits\b|\bgit log\b|\bcommit history\b"),
    (
        Change.UNCOMMITTED,
        r"\b(?:my|uncommitted|unstaged|local|current|pending|working)(?: \w+)? "
        r"(?:changes?|edits?|diffs?|modifications?|work|patch|tree|copy)\b"
        r"|\b(?:the|this|these) (?:diff|patch|changes?|edits?)\b(?! ?(?:log|:))|\bgit diff\b"
        r"|\bwhat (?:have )?i(?:'ve| have)? ?(?:just )?(?:changed?|edited|modified|did|done)\b"
        r"|\bwhat (?:did )?i (?:just )?(?:change|edit|modify)\b|\buncommitted\b|\bunstaged\b"
        r"|\b(?:write|give|suggest|draft|propose|make|create|need|want|good|a)\b"
        r"[^.?!]{0,40}\bcommit message\b|^\W*commit message",
    ),
    (Change.BRANCH, r"\b(?:this|my|current)(?: \w+)? branch\b|\b(?:this|my) (?:pr|pull request)\b"),
)
_WHOLE = r"(?:repo(?:sitory)?|project|code ?base|app(?:lication)?|package|program|library)"
_ABOUT_PROJECT = re.compile(
    r"\bwhat(?:'s| is| does| are)(?: all)? (?:this|it|here)\b(?! (?:file|function|class|method))"
    rf"|\b(?:explain|summar\w+|describe|overview|structure|architecture|layout|tour|purpose|"
    r"languages?|frameworks?|stack|entry ?points?)\b"
    rf"[^.?!]{{0,80}}\b(?:{_WHOLE}|here)\b"
    rf"|\b{_WHOLE}(?:'s)? (?:overview|structure|architecture|layout)\b"
    rf"|\bwhat (?:is|does) (?:this|the|my|our) {_WHOLE}\b"
    r"|\bhow (?:do|can|to|would|should|must)(?: (?:i|we|you|one))? "
    r"(?:run|build|start|install|launch|use|set ?up|deploy|compile)\b",
    re.I,
)
_NEAR_PROJECT = re.compile(rf"\b(?:this|the|my|our) {_WHOLE}\b", re.I)
_QUESTION = re.compile(r"\?|^\W*(?:what|where|which|how|why|who|when|does|is|are|can)\b", re.I)
_TESTS = re.compile(r"\b(?:unit )?test(?:s|ing|ed)?\b", re.I)
_USES = re.compile(
    r"\b(?:rename|us(?:ed|es?|ages?)|calls?|callers?|called|references?|everywhere|replace|remove|"
    r"delete|break)\b",
    re.I,
)
_PYTHON_FRAME = re.compile(r'File "([^"\n]{1,400})", line (\d{1,7})')
_PLACE = re.compile(r"((?:[A-Za-z]:)?[\w@~./\\+-]{0,200}[\w+-]\.[A-Za-z]\w{0,9}):(\d{1,7})\b")
_FOREIGN = re.compile(
    r"(?:^|/)(?:site-packages|node_modules|dist-packages)/|^/usr/|/lib/python|^node:|/rustc/"
    r"|/go/(?:src|pkg)/"
)
_QUOTED = re.compile(r"`([^`\n]{1,120})`|\"([^\"\n]{1,120})\"|(?<!\w)'([^'\n]{1,120})'(?!\w)")
_WRAPPING = "\"'`“”‘’,;!?<>*[]{}…"
_KIND = (
    r"function|method|class|def|struct|interface|type|enum|trait|constant|const|variable|var|key|"
    r"setting|option|field|section|heading|target|table|component|hook|macro|job|step|service|"
    r"endpoint|stage|func|fn|property|parameter|flag|helper|handler|decorator"
)
_KIND_FIRST = re.compile(
    rf"\b(?:{_KIND})s?(?: (?:called|named))? [`\"']?([A-Za-z_$][\w$.-]{0, 80})", re.I
)
_KIND_LAST = re.compile(rf"\b([A-Za-z_$][\w$-]{{0,80}})[`\"']? (?:{_KIND})\b", re.I)
_STEM_NOUN = r"file|module|script|page|config(?:uration)?|tests?|spec|docs?|document|workflow"
_STEM = re.compile(
    rf"\b([\w-]{{1,80}}) (?:{_STEM_NOUN})\b|\b(?:{_STEM_NOUN}) [`\"']?([\w-]{{1,80}})", re.I
)
_CODE_LIKE = re.compile(
    r"(?:\w+(?:\.|::|#))+[A-Za-z_]\w+|\w*[a-z0-9][A-Z]\w*|[A-Za-z0-9]*_\w+|[A-Z][A-Z0-9_]{2,}|\$\w+"
)
_FOLDER = re.compile(
    r"[`\"']?([\w.@/-]{1,120})[`\"']? (?:folder|directory|dir)\b|\bin ([\w.@-]{1,80})/(?= |$)", re.I
)
_PATH = re.compile(r"(?:[\w.-]+/)+[\w-]+\.[A-Za-z]\w{0,5}")
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON_WORDS = """
    a about above add after all also an and any are as ask at be because been before being below
    between both brief briefly bug bugs but by call called can change check class code comment
    commit could create delete describe did do docstring does doing done down each edit either else
    error errors every everything exactly example exist explain file files find first fix following
    for from function get gets give gives good had has have he help her here him how however i if
    implement improve in inside into is issue it its itself just keep know last let like line lines
    list look made make makes many may me mean means message method more most much must my name
    named need needs new no not nothing now of off on one only or other our out over part pattern
    please problem problems program project put read real refactor regex remove rename repo
    repository result return returns review right run running runs same say says see sentence
    sentences set she short shortly should show shows simple so some something still such sum
    summarise summarize summary sure take tell test testing tests text than that the their them then
    there these they thing things this those through to too translate try two under unit until up
    update us use used uses using value values very want was way we well were what when where
    whether which while who why will with within without word words work works would write wrong yes
    you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A file that is named, and the line if one is."""

    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class RequestNames:
    """What one request names."""

    places: tuple[NamedPlace, ...] = ()
    more_of_name: tuple[str, ...] = ()
    """Files that a name means too, beyond those that are shown."""
    folders: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    change: Change | None = None
    about_project: bool = False
    near_project: bool = False
    """Whether the project is mentioned, though perhaps not what is asked about."""
    about_tests: bool = False
    about_uses: bool = False
    """Whether the places where a definition is used matter."""
    is_question: bool = False
    words: tuple[str, ...] = ()
    """Words of content, in small letters."""


class FileNames:
    """The files of a project by what a user may call them; of several, those nearest to the top."""

    def __init__(
        self, listed: Sequence[str], dotted: Sequence[str], is_file: Callable[[str], bool]
    ) -> None:
        self._is_file = is_file
        self._by_name: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        self._folders: dict[str, str] = {}
        for path in (*listed, *dotted):
            name = path.rpartition("/")[2].casefold()
            self._by_name.setdefault(name, []).append(path)
        for path in listed:
            stem = PurePosixPath(path.casefold()).name.partition(".")[0]
            self._by_stem.setdefault(stem.replace("-", "_"), []).append(path)
            folders = path.split("/")[:-1]
            for end in range(1, min(len(folders), _DEEPEST) + 1):
                for start in range(end):
                    name = "/".join(folders[start:end]).casefold()
                    self._folders.setdefault(name, "/".join(folders[:end]))
        self._all = (*listed, *dotted)

    def exact(self, token: str) -> list[str]:
        """Find files by path or by name, in any letter case."""
        wanted = token.replace("\\", "/").removeprefix("./").casefold()
        named = self._by_name.get(wanted.rpartition("/")[2], [])
        found = [path for path in named if f"/{path.casefold()}".endswith(f"/{wanted}")]
        # What is hidden is found by its whole path.
        return found or ([token] if re.search(r"[./]\w", token) and self._is_file(token) else [])

    def stem(self, word: str) -> list[str]:
        """Find files by their name up to the first dot."""
        return self._by_stem.get(word.casefold().replace("-", "_"), [])

    def alias(self, pattern: str) -> list[str]:
        """Find files whose path fits a pattern."""
        fits = re.compile(pattern, re.I)
        return [path for path in self._all if fits.fullmatch(path)]

    def of_frame(self, path: str) -> list[str]:
        """Find the file of a trace, whose path may be absolute and of another machine."""
        path = path.replace("\\", "/")
        if _FOREIGN.search(path):
            return []
        parts = [part for part in path.split("/") if part not in ("", ".", "..")]
        least = 2 if path.startswith("/") or path[1:2] == ":" else 1
        for start in range(len(parts)):
            tail = "/".join(parts[start:])
            found = self.exact(tail)
            if found and (len(parts) - start >= least or found == [tail]):
                return found[:1]
        return []

    def folder(self, name: str) -> str:
        """Find a folder by its path or name; empty where there is none."""
        return self._folders.get(name.strip("/").removeprefix("./").casefold(), "")


def read_request(request: str, names: FileNames, root: str) -> RequestNames:
    """Find out what a request, `shortened`, names; `root` is the folder of the project."""
    request = request.replace(f"{root}/", "")
    frames = _frames(request, names)
    tokens = list(_tokens(request))
    places, more = _places(request, tokens, names)
    framed = {place.path for place in frames}
    places = [*frames, *(place for place in places if place.path not in framed)]
    symbols = () if frames else tuple(dict.fromkeys(_symbols(request, tokens, names)))
    rest = " ".join(token for token in request.split() if "/" not in token)
    return RequestNames(
        tuple(dict.fromkeys(places)),
        tuple(more),
        _folders(request, tokens, names),
        symbols,
        next((which for which, words in _CHANGES if re.search(words, rest, re.I)), None),
        bool(_ABOUT_PROJECT.search(rest)),
        bool(_NEAR_PROJECT.search(rest)),
        bool(_TESTS.search(rest)),
        bool(_USES.search(rest)),
        bool(_QUESTION.search(request)),
        content_words(request),
    )


def shortened(request: str) -> str:
    """Give what is looked at of a request: of a very long one, its beginning and its end."""
    if len(request) <= MAX_REQUEST:
        return request
    return f"{request[: MAX_REQUEST // 2]}\n{request[-MAX_REQUEST // 2 :]}"


def content_words(request: str) -> tuple[str, ...]:
    """List the words of a request except common ones; identifiers are split into words."""
    sentence = " ".join(word for word in request.split() if "/" not in word.strip("/"))
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", sentence).lower()
    words = _WORD.findall(split.replace("_", " "))
    return tuple(dict.fromkeys(word for word in words if word not in _COMMON))[:MAX_WORDS]


def _frames(request: str, names: FileNames) -> list[NamedPlace]:
    """The frames of a trace that lie in the project, the innermost first."""
    python = list(reversed(_PYTHON_FRAME.findall(request)))
    found = []
    for path, line in python or _PLACE.findall(request):
        found += [NamedPlace(one, int(line)) for one in names.of_frame(path)]
    return list(dict.fromkeys(found))[:MOST_FRAMES]


def _tokens(request: str) -> Iterable[str]:
    """Words as they stand, without the signs around them; what is quoted, as a whole too."""
    for groups in _QUOTED.findall(request):
        yield from filter(None, groups)
    for word in request.split():
        token = word.strip(_WRAPPING).rstrip(".:").strip(_WRAPPING)
        token = token.removeprefix("(").removesuffix("'s") if not token.endswith("()") else token
        if ")" in token and "(" not in token:
            token = token.replace(")", "")
        if 0 < len(token) <= _LONGEST_TOKEN:
            yield re.sub(r":\d+(?::\d+)?$", "", token)


def _places(
    request: str, tokens: Sequence[str], names: FileNames
) -> tuple[list[NamedPlace], list[str]]:
    found: list[str] = []
    more: list[str] = []

    def take(paths: list[str], most: int = MOST_NAMED) -> None:
        found.extend(paths[:most])
        more.extend(paths[most : most + MOST_NAMED])

    for token in tokens:
        # A bare word is a file's name (`Makefile`) only where it isn't one of the sentence.
        if not token.islower() or re.search(r"[./]", token) or f"`{token}`" in request:
            take(names.exact(token))
            if _PATH.fullmatch(token) and not names.exact(token):
                more.append(f"{token} (no such file)")
    for words, pattern in _ALIASES:
        if re.search(rf"\b(?:{words})\b", request, re.I):
            take(names.alias(pattern), 1 if "readme" in pattern else MOST_NAMED)
    for groups in _STEM.findall(request):
        for word in groups:
            if word and word.casefold() not in _COMMON:
                take(names.stem(word))
    shown = dict.fromkeys(found)
    return [NamedPlace(path) for path in shown], [
        path for path in dict.fromkeys(more) if path not in shown
    ]


def _folders(request: str, tokens: Sequence[str], names: FileNames) -> tuple[str, ...]:
    named = [group for groups in _FOLDER.findall(request) for group in groups if group]
    named += [token for token in tokens if "/" in token.rstrip("/") or token.endswith("/")]
    found = (names.folder(name) for name in named if not names.exact(name))
    return tuple(dict.fromkeys(filter(None, found)))


def _symbols(request: str, tokens: Sequence[str], names: FileNames) -> Iterable[str]:
    for token in tokens:
        name = re.sub(r"\(.*\)?$", "", token)
        is_code = name != token or f"`{token}`" in request or _CODE_LIKE.fullmatch(name)
        if is_code and re.fullmatch(r"[\w$.:#-]+", name) and not names.exact(name):
            yield name
    for groups in _QUOTED.findall(request):
        yield from (text for text in groups if " " in text and len(text) < 60)
    for pattern in (_KIND_FIRST, _KIND_LAST):
        for name in pattern.findall(request):
            if name.casefold() not in _COMMON and not names.exact(name):
                yield name.rstrip(".-")
    # A capital within a sentence may be that of a class.
    for name in re.findall(r"(?<=[a-z,] )[A-Z][a-z]\w+\b(?![./])", request):
        if name.casefold() not in _COMMON and not names.exact(name):
            yield name
