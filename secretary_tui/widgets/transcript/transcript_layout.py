"""How each kind of block looks: its parts, folded or unfolded."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from secretary_tui.widgets.themes import AGENT_COLORS
from secretary_tui.widgets.transcript.markdown_stream import (
    MarkdownSplitter,
    Piece,
    Splitter,
    TextSplitter,
)
from secretary_tui.widgets.transcript.transcript_blocks import (
    AnswerBlock,
    Block,
    Checklist,
    Countdown,
    Diff,
    NoticeBlock,
    NoticeLevel,
    RuleBlock,
    RunHeader,
    Thinking,
    ToolCallBlock,
    ToolState,
    UserMessageBlock,
)
from secretary_tui.widgets.transcript.transcript_parts import (
    BlockPart,
    DiffPart,
    LinePart,
    MarkdownPart,
    RulePart,
    TextPart,
)

MAX_BODY_LINES = 200
"""Lines of a tool's input or output that unfold; a copy has all of them."""
MAX_BODY_CHARS = 20_000
REQUEST_LINES, REQUEST_CHARACTERS = 4, 400
"""What is shown of a request that is folded."""
PORTION = 2_000
"""Characters that are fed to a splitter at once."""

FOLDED, UNFOLDED = "▸ ", "▾ "

_TOOL_LOOKS = {
    ToolState.RUNNING: ("●", "mark"),
    ToolState.WAITING: ("?", "warning"),
    ToolState.DONE: ("✓", "success"),
    ToolState.FAILED: ("✗", "error"),
    ToolState.DENIED: ("×", "error"),
    ToolState.INTERRUPTED: ("■", "warning"),
}
_STEP_LOOKS = {
    "completed": ("✓ ", "muted"),
    "in_progress": ("● ", "mark"),
}
_NOTICE_SIGNS = {
    NoticeLevel.INFO: "· ",
    NoticeLevel.SUCCESS: "✓ ",
    NoticeLevel.WARNING: "! ",
    NoticeLevel.ERROR: "✗ ",
}


def lay_out(block: Block, *, unfolded: bool, gap: bool, now: float) -> list[BlockPart]:
    """Cut a whole block into parts.

    Args:
        block: A cleaned block.
        unfolded: Whether a foldable block shows its inside.
        gap: Whether a blank line comes before it.
        now: `time.monotonic()`, for blocks that show a passing time.
    """
    match block:
        case AnswerBlock() | Thinking():
            return _text_parts(block, unfolded, gap)
        case ToolCallBlock():
            return list(_tool_parts(block, unfolded, gap, now))
        case UserMessageBlock():
            return list(_request_parts(block, unfolded, gap))
        case Diff() | Checklist() | NoticeBlock():
            return list(_plain_parts(block, gap))
        case Countdown():
            words = (("↻", "warning"), (_countdown(block, now), "warning"))
            return [LinePart("", words, gap=gap)]
        case RuleBlock():
            return [RulePart(block.label, _style(block.level), gap)]
        case RunHeader():
            others_text = "".join(f"· {p} " for p in (block.engine, block.model, block.note) if p)
            words = ((block.agent, "heading"), (others_text, "muted"))
            sign_style = f"agent-{block.color}" if block.color in AGENT_COLORS else "mark"
            return [LinePart("◆ ", words, gap=gap, sign_style=sign_style)]
    raise TypeError(f"no look for {type(block).__name__}")


def _request_parts(block: UserMessageBlock, unfolded: bool, gap: bool) -> Iterator[BlockPart]:
    """A request; of a long one the beginning, until it is unfolded."""
    text, hidden = block.text, 0
    if block.foldable and not unfolded:
        lines = text.split("\n")
        text = "\n".join(lines[:REQUEST_LINES])[:REQUEST_CHARACTERS].rstrip()
        hidden = len(lines) - text.count("\n") - 1
        text += "" if hidden else "…"
    pieces = list(split(TextSplitter(), text)) or [Piece("")]
    first, *others = (TextPart(piece.source, "user") for piece in pieces)
    yield replace(first, sign="❯ ", gap=gap)
    yield from others
    yield from _more(hidden)


def split(splitter: Splitter, text: str) -> Iterator[Piece]:
    """Give all pieces of a finished text."""
    for start in range(0, len(text), PORTION):
        yield from splitter.feed(text[start : start + PORTION])
    yield from splitter.tail()


def splitter_for(block: AnswerBlock | Thinking) -> Splitter:
    """Give a fresh splitter for the kind of text."""
    return MarkdownSplitter() if isinstance(block, AnswerBlock) else TextSplitter()


def text_part(block: AnswerBlock | Thinking, piece: Piece, *, gap: bool) -> BlockPart:
    """Make the part for one piece of a streamed text."""
    struck = bool(block.discarded)
    if isinstance(block, AnswerBlock):
        return MarkdownPart(piece, gap, struck)
    return TextPart(piece.source, "muted", indent=2, gap=gap, struck=struck)


def fold_header(
    block: AnswerBlock | Thinking, *, lines: int, unfolded: bool, gap: bool
) -> LinePart | None:
    """Make the line that folds a text: `▸ thinking · 12 lines`; None for one that doesn't fold."""
    if not block.foldable:
        return None
    name = "thinking" if isinstance(block, Thinking) else "answer"
    count = f"· {lines} line" + ("s" if lines != 1 else "")
    words = [(name, "muted"), (count, "muted")]
    if block.discarded:
        words.append((f"· discarded: {block.discarded}", "warning"))
    return LinePart(UNFOLDED if unfolded else FOLDED, tuple(words), gap=gap)


def count_lines(text: str) -> int:
    """Count the lines of a text, without blank ones around it."""
    return text.strip().count("\n") + 1


def elapsed(seconds: float) -> str:
    """Write a duration: `40 ms`, `2.3 s`, `12 s`, `2 min 05 s`."""
    if seconds < 0.9995:
        return f"{round(seconds * 1000)} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def _text_parts(block: AnswerBlock | Thinking, unfolded: bool, gap: bool) -> list[BlockPart]:
    parts: list[BlockPart] = []
    header = fold_header(block, lines=count_lines(block.text), unfolded=unfolded, gap=gap)
    if header:
        parts.append(header)
        if not unfolded:
            return parts
    for piece in split(splitter_for(block), block.text):
        parts.append(text_part(block, piece, gap=piece.gap if parts else gap))
    return parts


def _tool_parts(block: ToolCallBlock, unfolded: bool, gap: bool, now: float) -> Iterator[BlockPart]:
    glyph, style = _TOOL_LOOKS[block.state]
    words = [(glyph, style), (block.name, "strong"), (block.summary, "")]
    note = f"discarded: {block.discarded}" if block.discarded else block.note
    if note:
        words.append((f"· {note}", style if style != "success" else "muted"))
    yield LinePart(
        UNFOLDED if unfolded else FOLDED,
        tuple(words),
        (_tool_time(block, now), style if block.state is not ToolState.DONE else "muted"),
        gap=gap,
        struck=bool(block.discarded),
    )
    if not unfolded:
        return
    if block.diff:
        shown, hidden = _bounded(block.diff)
        yield DiffPart(shown, indent=2)
        yield from _more(hidden)
    elif block.input:
        yield from _body(block.input, "code-comment")
    if block.inside:
        yield LinePart("", (("", ""), ("╰ what it did", "muted")))
        yield from _body(block.inside, "")
    if block.output:
        yield LinePart("", (("", ""), ("╰ result", "muted")))
        yield from _body(block.output, "")


def _tool_time(block: ToolCallBlock, now: float) -> str:
    time = "" if block.elapsed_s is None else elapsed(block.elapsed_s)
    match block.state:
        case ToolState.DONE:
            return time
        case ToolState.RUNNING:
            return "running" if block.started is None else elapsed(max(now - block.started, 0))
        case ToolState.FAILED if time:
            return f"{block.state} · {time}"
        case _:
            return str(block.state)


def _body(text: str, style: str) -> Iterator[BlockPart]:
    shown, hidden = _bounded(text)
    for piece in split(TextSplitter(), shown):
        yield TextPart(piece.source, style, indent=2)
    yield from _more(hidden)


def _more(hidden: int) -> Iterator[BlockPart]:
    if hidden:
        words = f"… {hidden} more line" + ("s" if hidden != 1 else "")
        yield TextPart(words, "more", indent=2)


def _bounded(text: str) -> tuple[str, int]:
    """The first lines of a text and how many are left out."""
    lines = text.strip("\n").split("\n")
    shown: list[str] = []
    room = MAX_BODY_CHARS
    for line in lines[:MAX_BODY_LINES]:
        shown.append(line[:room])
        room -= len(line) + 1
        if room <= 0:
            break
    cut = room < -1 and len(shown[-1]) > 0
    return "\n".join(shown) + ("…" if cut else ""), len(lines) - len(shown)


def _plain_parts(block: Diff | Checklist | NoticeBlock, gap: bool) -> Iterator[BlockPart]:
    if isinstance(block, Diff):
        return _diff_parts(block, gap)
    if isinstance(block, Checklist):
        return _checklist_parts(block, gap)
    return _notice_parts(block, gap)


def _checklist_parts(block: Checklist, gap: bool) -> Iterator[BlockPart]:
    done = sum(step.state == "completed" for step in block.steps)
    yield LinePart(
        "≡ ", (("Steps", "strong"), (f"{done} of {len(block.steps)} done", "muted")), gap=gap
    )
    for step in block.steps:
        sign, style = _STEP_LOOKS.get(step.state, ("○ ", ""))
        yield TextPart(step.text, style, sign=f"  {sign}", indent=2)


def _diff_parts(block: Diff, gap: bool) -> Iterator[BlockPart]:
    if block.title:
        yield TextPart(block.title, "strong", gap=gap)
        gap = False
    lines = block.text.rstrip("\n").split("\n")
    for start in range(0, len(lines), MAX_BODY_LINES):
        yield DiffPart("\n".join(lines[start : start + MAX_BODY_LINES]), gap=gap)
        gap = False


def _notice_parts(block: NoticeBlock, gap: bool) -> Iterator[BlockPart]:
    sign, style = _NOTICE_SIGNS[block.level], _style(block.level)
    yield TextPart(block.text, style, sign=sign, gap=gap)
    if block.suggestion:
        yield TextPart(block.suggestion, "")


def _countdown(block: Countdown, now: float) -> str:
    count = f"({block.attempt}/{block.max_attempts})"
    if block.until is None:
        return f"retried {count}: {block.reason}"
    left = max(math.ceil(block.until - now), 0)
    return f"retrying {f'in {left} s' if left else 'now'} {count}: {block.reason}"


def _style(level: NoticeLevel) -> str:
    return "muted" if level is NoticeLevel.INFO else str(level)
