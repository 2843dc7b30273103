"""What changed in a project, as git says it: each file's diff, the last commit, the branch."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum

from secretary_tui import paths
from secretary_tui.delegation.lookup.looked_up import Excerpt, ExcerptOrigin
from secretary_tui.delegation.lookup.project_sight import ProjectSight
from secretary_tui.delegation.sandbox.confined_git import confined_git
from secretary_tui.delegation.sandbox.hidden import has_own_history
from secretary_tui.sanitize import clean

_PLAIN = (
    *("--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--submodule=short"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--no-indent-heuristic"),
)
_FILE = re.compile(r"^diff --git ", re.M)
_NAMES = re.compile(r"^(?:--- a/|\+\+\+ b/|rename (?:from|to) |copy (?:from|to) )(.+)$", re.M)
_SAME_NAME = re.compile(r"a/(.+) b/\1$", re.M)
_MAX_NEW, _MAX_COMMITS = 20, 15
_TRUNKS = ("main", "master")


class Change(StrEnum):
    """Which change a request is about; the value is the title shown to the user and the model."""

    UNCOMMITTED = "uncommitted changes"
    STAGED = "staged changes"
    LAST_COMMIT = "last commit"
    BRANCH = "this branch"
    HISTORY = "recent commits"


class ProjectChanges:
    """Asks the repository around a workspace: only what lies in the workspace and may be read."""

    def __init__(self, sight: ProjectSight) -> None:
        self._sight = sight

    def change(self, which: Change) -> tuple[Excerpt, ...]:
        """Read a change, one excerpt for each file; empty without one, or without git."""
        root = paths.repository_root(self._sight.workspace.root)
        is_there = (root / ".git").exists() and has_own_history(root)
        if not self._sight.may_read or not is_there:
            return ()
        match which:
            case Change.UNCOMMITTED:
                with ThreadPoolExecutor(1) as other:  # Each call has walls to put up first.
                    new_files = other.submit(self._new_files)
                    return (*self._diff(which, self._of_working_tree()), *new_files.result())
            case Change.STAGED:
                return self._diff(which, self._git("diff", "--cached", *_PLAIN))
            case Change.LAST_COMMIT:
                said = self._git("show", "--format=%h %s%n%n%b", "--first-parent", "-m", *_PLAIN)
                return self._diff(which, said)
            case Change.BRANCH:
                return self._diff(which, self._of_branch())
            case Change.HISTORY:
                said = self._git("log", "--oneline", f"-{_MAX_COMMITS}", "--", ".")
                return self._diff(which, said)

    def _of_working_tree(self) -> str:
        # Before the first commit there is no HEAD.
        return self._git("diff", "HEAD", *_PLAIN) or self._git("diff", "--cached", *_PLAIN)

    def _of_branch(self) -> str:
        for trunk in _TRUNKS:
            if diff := self._git("diff", f"{trunk}...HEAD", *_PLAIN):
                return self._git("log", "--oneline", f"{trunk}..HEAD", "--", ".") + diff
        return ""

    def _new_files(self) -> tuple[Excerpt, ...]:
        """Give files that git doesn't know yet, as additions."""
        names = self._git("ls-files", "--others", "--exclude-standard", "-z").split("\0")
        texts = {name: self._sight.text(name) for name in names[:_MAX_NEW] if name}
        return tuple(
            _piece(
                Change.UNCOMMITTED, f"new file {name}\n+" + text.rstrip().replace("\n", "\n+"), name
            )
            for name, text in texts.items()
            if text is not None
        )

    def _diff(self, which: Change, said: str) -> tuple[Excerpt, ...]:
        """Cut what git says into what stands before the first file, and a piece a file."""
        before, *files = _FILE.split(said)
        pieces = [_piece(which, before.strip("\n"))] if before.strip() else []
        for chunk in files:
            head = chunk.partition("\n@@")[0]
            same = _SAME_NAME.match(head.partition("\n")[0])
            names = set(_NAMES.findall(head)) or ({same[1]} if same else set())
            # A name that git had to quote is none that could be judged here.
            if names and all(self._sight.may_show(name) for name in names):
                name = names.pop() if len(names) == 1 else _NAMES.findall(head)[-1]
                pieces.append(_piece(which, f"diff {chunk}".rstrip("\n"), name))
        return tuple(pieces)

    def _git(self, *arguments: str) -> str:
        return confined_git(self._sight.workspace.root, *arguments) or ""


def _piece(which: Change, text: str, path: str = "") -> Excerpt:
    return Excerpt(which.value, clean(text), path, origin=ExcerptOrigin.GIT)
