"""What can be taken out of the transcript: the source of a block, its code, the links in view."""

from __future__ import annotations

from secretary_tui.widgets.transcript.block_cursor import BlockCursor
from secretary_tui.widgets.transcript.line_view import LineView
from secretary_tui.widgets.transcript.markdown_sources import code_blocks, links
from secretary_tui.widgets.transcript.transcript_blocks import AnswerBlock
from secretary_tui.widgets.transcript.transcript_content import TranscriptContent
from secretary_tui.widgets.transcript.transcript_parts import source_of


class Excerpts:
    """Sources as they came, never the lines drawn from them."""

    def __init__(self, content: TranscriptContent, cursor: BlockCursor, lines: LineView) -> None:
        self._content = content
        self._cursor = cursor
        self._lines = lines
        self._copied_code = (0, -1)
        """Of which block a code block was given last, and which of them."""

    def block(self) -> str:
        """The source of the block under the cursor, else of the latest answer."""
        owner = self._chosen()
        return "" if owner is None else self._content.source(owner)

    def code(self) -> tuple[str, int, int]:
        """A code block of what `block` gives: the last, next time the one before it.

        Gives the code, its number from 1 on and how many there are; ("", 0, 0) without any.
        """
        owner = self._chosen()
        codes = code_blocks(self._content.source(owner)) if owner is not None else []
        if owner is None or not codes:
            return "", 0, 0
        block, last = self._copied_code
        number = last - 1 if block == owner and 0 < last <= len(codes) else len(codes) - 1
        self._copied_code = (owner, number)
        return codes[number], number + 1, len(codes)

    def links_on_screen(self) -> list[str]:
        """The web addresses in what is on the screen, from the top down, each once."""
        index, top = self._content.index, self._lines.top
        bottom = min(top + self._lines.height, index.total)
        numbers = dict.fromkeys(index.locate(line)[0] for line in range(top, bottom))
        sources = (source_of(index.sections[number].part) for number in numbers)
        return list(dict.fromkeys(address for text in sources for address in links(text)))

    def markdown(self) -> str:
        """The block under the cursor, else the whole conversation, to be read elsewhere."""
        if self._cursor.block is not None:
            return self._content.source(self._cursor.block)
        return "\n\n".join(filter(None, map(self._content.source, self._content)))

    def _chosen(self) -> int | None:
        if self._cursor.block is not None:
            return self._cursor.block
        content = self._content
        answers = [i for i in content if isinstance(content[i].block, AnswerBlock)]
        return answers[-1] if answers else None
