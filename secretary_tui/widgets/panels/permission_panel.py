"""May it? One risky tool call, shown whole, with four answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from secretary_tui import paths
from secretary_tui.people import ToolAnswer, ToolDecision, ToolRequest
from secretary_tui.sanitize import reveal
from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.panels.panel import Panel, clickable

FEW_LINES = 6
"""More than these may lie below the fold on a small screen, so their number is named."""
MANY_CHARACTERS = 400
"""The same for the length of a text."""
PANEL_SHARE, DETAIL_SHARE = 0.6, 0.45
"""Of the screen's height: what a panel may take (panels.tcss), and the detail in it."""
LOW, LOW_DETAIL = 20, 4
"""Below so many rows the detail has so few."""
_KEYS = {"y": ToolDecision.ONCE, "r": ToolDecision.RUN, "a": ToolDecision.ALWAYS}


class PermissionPanel(Panel[ToolAnswer]):
    """Shows the whole command or diff (scrollable) and waits for the answer."""

    @dataclass
    class ViewRequested(Message):
        """`v`: show the detail on the full screen."""

        title: str
        content: Content

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._request: ToolRequest | None = None

    def compose(self) -> ComposeResult:
        """Heading, the scrollable detail, the answers, and the input for a reason."""
        yield Static(id="permission-head", markup=False)
        with VerticalScroll(id="permission-scroll", can_focus=False):
            yield Static(id="permission-detail", markup=False)
        yield Static(id="permission-keys", markup=False)
        reason = Input(
            placeholder="Reason (optional, the agent reads it); Enter denies",
            id="permission-reason",
            compact=True,
        )
        reason.display = False
        yield reason

    async def ask(self, request: ToolRequest) -> ToolAnswer:
        """Wait for the answer to one tool call."""
        self._request = request
        reason = self.query_one("#permission-reason", Input)
        reason.display, reason.value = False, ""
        self.query_one("#permission-head", Static).update(heading(request))
        self.query_one("#permission-detail", Static).update(detail(request))
        self._show_answers()
        self.query_one("#permission-scroll", VerticalScroll).scroll_home(animate=False)
        return await self.wait()

    def on_resize(self) -> None:
        """Break the answers anew."""
        self._show_answers()

    def _show_answers(self) -> None:
        if self._request is not None:
            width = self.container_size.width - 2
            answers = _answers(self._request, width)
            self.query_one("#permission-keys", Static).update(answers)
            if width > 0:
                taken = sum(c.get_height({}, width) for c in (heading(self._request), answers))
                self._give_room(taken)

    def _give_room(self, taken: int) -> None:
        """Show as much of the detail as leaves the answers, and a reason, on the screen."""
        height = self.screen.size.height
        most = LOW_DETAIL if height < LOW else int(height * DETAIL_SHARE)
        left = int(height * PANEL_SHARE) - taken - 2  # The border, and the line of a reason.
        scroll = self.query_one("#permission-scroll", VerticalScroll)
        scroll.styles.max_height = max(1, min(most, left))

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """What the row of answers in the panel doesn't say itself."""
        if self.typing:
            return (KeyHint("Enter", "deny", "enter"), KeyHint("Esc", "back", "escape"))
        return (
            KeyHint("v", "view", "v"),
            KeyHint("↑↓", "scroll", "down"),
            KeyHint("Esc", "deny", "escape"),
        )

    def take_key(self, key: str) -> bool:
        """Answer by letter; Esc denies; arrows scroll the detail."""
        request = self._request
        if request is None:
            return False
        run, always = request.reach
        if (key == "r" and not run) or (key == "a" and not always):
            return True
        if key in _KEYS:
            self.answer(ToolAnswer(_KEYS[key]))
        elif key == "n":
            self._ask_reason()
        elif key == "escape":
            self.answer(ToolAnswer(ToolDecision.DENY))
        elif key == "v":
            self.post_message(self.ViewRequested(request.summary, detail(request)))
        else:
            return self._scroll(key)
        return True

    def _scroll(self, key: str) -> bool:
        scroll = self.query_one("#permission-scroll", VerticalScroll)
        moves = {
            "up": scroll.scroll_up,
            "down": scroll.scroll_down,
            "pageup": scroll.scroll_page_up,
            "pagedown": scroll.scroll_page_down,
            "home": scroll.scroll_home,
            "end": scroll.scroll_end,
        }
        if key not in moves:
            return False
        moves[key](animate=False)
        return True

    def _ask_reason(self) -> None:
        reason = self.query_one("#permission-reason", Input)
        reason.display = True
        reason.focus()
        self.post_message(self.Changed())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Deny, with the reason that was typed."""
        event.stop()
        self.answer(ToolAnswer(ToolDecision.DENY, event.value.strip()))

    @property
    def typing(self) -> bool:
        """Whether a reason is being typed."""
        return bool(self.query_one("#permission-reason", Input).display)

    def take_typing_key(self, key: str) -> bool:
        """Esc inside the reason goes back to the answers."""
        if key != "escape":
            return False
        self.query_one("#permission-reason", Input).display = False
        self.focus()
        self.post_message(self.Changed())
        return True


def heading(request: ToolRequest) -> Content:
    """Who wants what, where, and what to look out for."""
    parts: list[str | tuple[str, str]] = [
        (request.agent, "bold $accent"),
        " wants to use ",
        (request.tool, "bold"),
        (f"  in {paths.shown(Path(request.cwd))}", "$foreground 60%"),
    ]
    if request.is_command:
        parts.append(_badge(request))
    for warning in request.warnings:
        parts.append((f"\n! {warning}", "$text-warning"))
    for reason in request.reasons:
        parts.append((f"\n? {reason}", "$foreground 60%"))
    return Content.assemble(*parts)


def _badge(request: ToolRequest) -> tuple[str, str]:
    if not request.sandboxed:
        return "  not sandboxed", "bold $text-warning"
    if request.confinement:
        return f"  partly sandboxed, leaves open: {request.confinement}", "$text-warning"
    return "  sandboxed", "$text-success"


def detail(request: ToolRequest) -> Content:
    """The whole command or diff; hidden characters made visible, diff lines coloured.

    Parts of a command that no rule covers, where a rule covers the rest, are underlined.
    """
    text = reveal(request.detail)
    if request.is_command:
        content = Content(text)
        # Places are those of the text as it came; what had to be revealed again has moved.
        for start, end in request.marks if text == request.detail else ():
            content = content.stylize("underline $text-warning", start, end)
        return content
    styles = {"+": "$text-success", "-": "$text-error", "@": "$text-accent"}
    return Content("\n").join(
        Content.styled(line, styles.get(line[:1], "")) for line in text.splitlines()
    )


def _answers(request: ToolRequest, width: int) -> Content:
    """The answers and how long the detail is; a line breaks between answers, not within one."""
    lines, length = request.detail.count("\n") + 1, len(request.detail)
    size = f"{lines} lines" if lines > FEW_LINES else ""
    size += f"  {length:,} characters" if length > MANY_CHARACTERS else ""
    run, always = request.reach
    pieces = [
        clickable(Content.assemble((key, "bold $accent"), f" {does}"), key)
        for key, does in (("y", "once"), ("r", run), ("a", always), ("n", "deny"))
        if does
    ]
    if size:
        pieces.append(Content.styled(size.strip(), "bold $text-warning"))
    rows = [pieces[0]]
    for piece in pieces[1:]:
        if rows[-1].cell_length + 2 + piece.cell_length <= width:
            rows[-1] = Content.assemble(rows[-1], "  ", piece)
        else:
            rows.append(piece)
    return Content("\n").join(rows)
