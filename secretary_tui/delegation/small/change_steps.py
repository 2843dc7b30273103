"""Plans a change as steps of one file each, by rules, from what the task names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from secretary_tui.delegation.lookup.definitions import defined_as, definitions_in
from secretary_tui.delegation.lookup.looked_up import Excerpt, ExcerptOrigin, LookedUp
from secretary_tui.delegation.small.doc_comments import comment_grammar, is_about_doc_comment

MAX_STEPS = 4
_PATH = re.compile(
    r"(?<![\w/\\.@-])((?:[\w.-]+/)*[\w-]+(?:\.[\w-]+)*\.([A-Za-z]\w{0,5}))(?![\w/(-])"
)
_FRAME = re.compile(r'File "[^"\n]*", line \d+|(?<![\w./-])[\w./-]+:\d+')
"""A line of a trace: it may name files that are on another machine."""
_KNOWN_NAMES = """
    py pyi js jsx ts tsx mjs cjs go rs java kt rb php c h cc cpp hpp cs swift sh bash sql html css
    scss json toml yaml yml md txt rst cfg ini env xml vue svelte tf proto graphql lua pl r jl ex
    exs dart scala gradle csv conf
"""
_KNOWN = frozenset(_KNOWN_NAMES.split())
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|de|uk|eu)/", re.I)
_ADDS = re.compile(
    r"\b(?:add|create|write|implement|make|define|introduce|need|want)\b[^.?!\n]{0,60}?"
    r"(?:\b(?:function|helper|class|constant|type|interface|struct|test|func)\s+"
    r"(?:called\s+|named\s+)?[`\"']?([A-Za-z_]\w*)|[`\"']?\b([A-Za-z_]\w*)\()",
    re.I,
)
_METHOD = re.compile(r"\bmethod\b", re.I)
_NAMES = re.compile(r"[A-Za-z_$][\w$]*")


class StepKind(StrEnum):
    """What is done to a file."""

    EDIT = "edit"
    ADD = "add"
    """New code at the end of the file."""
    CREATE = "create"
    COMMENT = "comment"
    """A docstring or doc comment of a definition."""


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """One file to change."""

    kind: StepKind
    path: str
    shown: Excerpt | None = None
    """What of the file may be replaced; None for a new one."""
    name: str = ""
    """What is to be added, where the task names it."""


def plan_steps(
    task: str, shown: LookedUp, texts: dict[str, str], files: Collection[str]
) -> tuple[ChangeStep, ...]:
    """Plan the change of a task: files that are there first, then new ones, tests last.

    Args:
        task: In the user's words.
        shown: What was looked up for it.
        texts: By path, the whole text of each file of which something is shown.
        files: All files of the project.
    """
    added = _added(task)
    steps = [*_existing(task, shown, texts, added), *_new(task, {*files, *texts})]
    steps.sort(key=lambda step: "test" in step.path.lower())
    named = [step for step in steps if is_named(step.path, task)]
    return tuple((named or steps)[:MAX_STEPS])


def _existing(
    task: str, shown: LookedUp, texts: dict[str, str], added: str
) -> Iterator[ChangeStep]:
    done: set[str] = set()
    for excerpt in shown.excerpts:
        if excerpt.origin is not ExcerptOrigin.FILE or excerpt.path in done or not excerpt.path:
            continue
        done.add(excerpt.path)
        text = texts.get(excerpt.path, "")
        if excerpt.is_whole and not excerpt.text.strip():
            yield ChangeStep(StepKind.CREATE, excerpt.path)
            continue
        if added and not re.search(rf"\b{re.escape(added)}\b", text):
            yield ChangeStep(StepKind.ADD, excerpt.path, excerpt, added)
            continue
        part = _narrowed(task, excerpt)
        commented = is_about_doc_comment(task) and not part.is_whole
        kind = StepKind.COMMENT if commented and comment_grammar(part.path) else StepKind.EDIT
        yield ChangeStep(kind, excerpt.path, part)


def _narrowed(task: str, excerpt: Excerpt) -> Excerpt:
    """Give only the definition that a task names, of a file that is shown whole."""
    lines = excerpt.text.split("\n")
    found = definitions_in(excerpt.path, lines)
    for name in _NAMES.findall(task.replace(excerpt.path, " ")):
        looks_like_code = "_" in name or not name.islower() or f"{name}(" in task
        if not looks_like_code and f"`{name}`" not in task:
            continue
        named = max(defined_as(name, found), key=lambda one: one.last - one.first, default=None)
        if named is not None and named.last > named.first:
            text = "\n".join(lines[named.first - 1 : named.last])
            first = excerpt.first_line + named.first - 1
            title = f"{excerpt.path} lines {first}-{first + named.last - named.first}"
            return Excerpt(title, text, excerpt.path, first, is_whole=False)
    return excerpt


def _new(task: str, files: Collection[str]) -> Iterator[ChangeStep]:
    for found in dict.fromkeys(_PATH.findall(_FRAME.sub("", task))):
        path, suffix = PurePosixPath(found[0]).as_posix(), found[1]
        is_there = any(one == path or one.endswith(f"/{path}") for one in files)
        is_address = bool(_HOST.match(path))
        if (
            suffix.lower() in _KNOWN
            and not is_there
            and not is_address
            and ".." not in PurePosixPath(path).parts
        ):
            yield ChangeStep(StepKind.CREATE, path)


def _added(task: str) -> str:
    """The name of what is to be added as a whole; a method goes into its class by an edit."""
    found = _ADDS.search(task)
    if found is None or _METHOD.search(task):
        return ""
    return found[1] or found[2] or ""


def is_named(path: str, task: str) -> bool:
    """Whether a task names a file, by its name or by that without its ending."""
    name = PurePosixPath(path).name
    return name.lower() in task.lower() or PurePosixPath(path).stem.lower() in task.lower().split()
