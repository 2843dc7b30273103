"""Markdown as lines of segments: CommonMark with tables, struck text and task lists.

Nothing in a source can reach the terminal as more than text: HTML is shown as it is written, links
as `text (address)` rather than as terminal hyperlinks, and no markup but Markdown is read. A
single newline after a short line breaks the line, as chat programs do and models expect; after a
long one it is taken for a hard-wrapped paragraph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from secretary_tui.widgets.transcript.code_lines import Line, code_lines, console
from secretary_tui.widgets.transcript.transcript_palette import Palette

MIN_WIDTH = 8
"""Cells that deeply nested text keeps, however narrow the screen."""
MAX_COLUMNS = 60
"""A line with more bars than this is not read as a table row: parsing it would take seconds."""
HARD_WRAP = 60
"""Characters from which a line counts as wrapped by its author, so that it may be joined."""

_STRONG = Style(bold=True)
_EMPHASIS = Style(italic=True)
_STRUCK = Style(strike=True)
_SPACED = frozenset({"heading", "fence", "code_block", "table", "blockquote", "hr"})
"""Blocks that keep a blank line around them even where the source has none."""


@cache
def parser(*, tables: bool, inline: bool) -> MarkdownIt:
    """The parser of everything shown; `inline=False` finds blocks only and is five times faster."""
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable("strikethrough")
    # A definition would vanish from the text, and could not reach a block that is already drawn.
    made.disable("reference")
    if tables:
        made.enable("table")
    if not inline:
        made.core.ruler.enableOnly(["normalize", "block"])
    return made


def has_tables(source: str) -> bool:
    """Whether tables may be read in `source`: some bars, and no absurd number of them."""
    return "|" in source and all(
        line.count("|") <= MAX_COLUMNS for line in source.split("\n") if "|" in line
    )


def markdown_lines(
    source: str,
    width: int,
    palette: Palette,
    *,
    number: int | None = None,
    highlight: bool = True,
) -> list[Line]:
    """Render a piece of Markdown.

    Args:
        source: Clean text (`sanitize.clean`).
        width: Cells.
        palette: The styles.
        number: What an ordered list counts from, when the source is one item of a longer list.
        highlight: Whether code gets its colours: a third of the work, and no change of height.
    """
    tokens = parser(tables=has_tables(source), inline=True).parse(source)
    return _Renderer(palette, number, highlight).blocks(SyntaxTreeNode(tokens).children, width)


class _Renderer:
    """Renders block nodes; inline nodes become one `Text` per block."""

    def __init__(self, palette: Palette, number: int | None, highlight: bool) -> None:
        self._palette = palette
        self._highlight = highlight
        self._number = number
        self._by_type: dict[str, Callable[[SyntaxTreeNode, int], list[Line]]] = {
            "paragraph": self._paragraph,
            "heading": self._heading,
            "bullet_list": self._list,
            "ordered_list": self._list,
            "blockquote": self._quote,
            "fence": self._code,
            "code_block": self._code,
            "hr": self._rule,
            "table": self._table,
        }

    def blocks(self, nodes: Sequence[SyntaxTreeNode], width: int) -> list[Line]:
        """Render siblings, with blank lines where the source has them or a block wants them."""
        lines: list[Line] = []
        last: SyntaxTreeNode | None = None
        for node in nodes:
            if last is not None and _apart(last, node):
                lines.append([])
            render = self._by_type.get(node.type, self._literal)
            lines += render(node, max(width, MIN_WIDTH))
            last = node
        return lines

    def _wrap(self, text: Text, width: int) -> list[Line]:
        lines: list[Line] = []
        for row in text.wrap(console(), width, tab_size=4):
            row.end = ""
            lines.append(list(row.render(console())))
        return lines

    def _paragraph(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        return self._wrap(self._inline(node), width)

    def _heading(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        text = self._inline(node)
        underline = Style(underline=True) if node.tag == "h1" else Style()
        text.stylize_before(self._palette["heading"] + underline)
        return self._wrap(text, width)

    def _list(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        ordered = node.type == "ordered_list"
        first = int(node.attrs.get("start", 1))
        if ordered and self._number is not None:
            first, self._number = self._number, None
        room = len(str(first + len(node.children) - 1)) + 2 if ordered else 2
        lines: list[Line] = []
        for index, item in enumerate(node.children):
            if index and _apart(node.children[index - 1], item):
                lines.append([])
            mark = f"{first + index}.".rjust(room - 1) + " " if ordered else "• "
            body = self.blocks(item.children, width - room) or [[]]
            lines.append([Segment(mark, self._palette["mark"]), *body[0]])
            lines += [[Segment(" " * room), *line] if line else [] for line in body[1:]]
        return lines

    def _quote(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        style = self._palette["quote"]
        bar = Segment("▌ ", self._palette["mark"])
        return [
            [bar, *Segment.apply_style(line, style)]
            for line in self.blocks(node.children, width - 2)
        ]

    def _code(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        info = node.info.split(maxsplit=1) if self._highlight else ()
        language = info[0] if info else ""
        content = node.content.removesuffix("\n")
        return code_lines(content, language.lower(), width, self._palette)

    def _rule(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        return [[Segment("─" * width, self._palette["muted"])]]

    def _table(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        from rich import box
        from rich.table import Table

        rows = [row for part in node.children for row in part.children]
        header, *body = rows
        table = Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            border_style=self._palette["muted"],
            header_style=self._palette["heading"],
        )
        for cell in header.children:
            style = str(cell.attrs.get("style", ""))
            justify = style.removeprefix("text-align:")
            table.add_column(
                self._inline(cell),
                justify=justify if justify in ("right", "center") else "left",  # type: ignore[arg-type]
                overflow="fold",
            )
        for row in body:
            table.add_row(*(self._inline(cell) for cell in row.children))
        options = console().options.update(width=width, max_width=width)
        return console().render_lines(table, options, pad=False)

    def _literal(self, node: SyntaxTreeNode, width: int) -> list[Line]:
        """What has no look of its own is shown as written; nothing is lost."""
        return self._wrap(Text(node.content), width)

    def _inline(self, node: SyntaxTreeNode) -> Text:
        text = Text()
        for child in node.children:
            if child.type == "inline":
                for part in child.children:
                    self._append(text, part, Style())
        self._mark_task(text, node)
        return text

    def _append(self, text: Text, node: SyntaxTreeNode, style: Style) -> None:
        match node.type:
            case "text" | "text_special" | "html_inline":
                text.append(node.content, style)
            case "softbreak":
                line = text.plain.rpartition("\n")[2]
                text.append(" " if len(line) >= HARD_WRAP else "\n")
            case "hardbreak":
                text.append("\n")
            case "code_inline":
                mark = "`" if self._palette.marks else ""
                text.append(f"{mark}{node.content}{mark}", style + self._palette["code-inline"])
            case "strong":
                self._append_all(text, node, style + _STRONG)
            case "em":
                self._append_all(text, node, style + _EMPHASIS)
            case "s":
                self._append_all(text, node, style + _STRUCK)
            case "link" | "image":
                self._append_link(text, node, style)
            case _:
                text.append(node.content, style)

    def _append_all(self, text: Text, node: SyntaxTreeNode, style: Style) -> None:
        for child in node.children:
            self._append(text, child, style)

    def _append_link(self, text: Text, node: SyntaxTreeNode, style: Style) -> None:
        """The address stands in the text, so that a link can't lead elsewhere than it says."""
        link = style + self._palette["link"]
        start = len(text)
        self._append_all(text, node, link)
        address = str(node.attrs.get("href") or node.attrs.get("src") or "")
        if address and address != text.plain[start:]:
            text.append(f" ({address})" if len(text) > start else address, self._palette["muted"])

    def _mark_task(self, text: Text, node: SyntaxTreeNode) -> None:
        parent = node.parent
        if parent is None or parent.type != "list_item" or node is not parent.children[0]:
            return
        box = text.plain[:4].lower()
        if box == "[x] ":
            text.stylize(self._palette["success"], 0, 3)
        elif box == "[ ] ":
            text.stylize(self._palette["mark"], 0, 3)


def _apart(before: SyntaxTreeNode, after: SyntaxTreeNode) -> bool:
    """Whether a blank line stands between two siblings."""
    if before.type in _SPACED or after.type in _SPACED:
        return True
    if before.map is None or after.map is None:
        return False
    return after.map[0] > _last_line(before)


def _last_line(node: SyntaxTreeNode) -> int:
    """The line after the last one with text; a list's own range includes trailing blank lines."""
    children = [child for child in node.children if child.map is not None]
    if node.type in ("bullet_list", "ordered_list", "list_item") and children:
        return _last_line(children[-1])
    return node.map[1] if node.map else 0
