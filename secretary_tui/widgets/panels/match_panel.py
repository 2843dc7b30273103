"""Who shall do it: the recommended agent, alternatives, a command, another one, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from secretary_tui.people import Recommendation, RouteAction, RouteChoice
from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.panels.match_body import match_body
from secretary_tui.widgets.panels.match_page import MatchPage, MatchStep
from secretary_tui.widgets.panels.match_rows import AgentBrief, PanelAdvice
from secretary_tui.widgets.panels.other_agent import OtherAgent
from secretary_tui.widgets.panels.panel import Panel

__all__ = ["AgentBrief", "MatchPanel", "PanelAdvice"]

_SCROLLS = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8, "home": -100_000, "end": 100_000}
"""Lines that a key moves the explanation."""
_NOTHING = "There is nothing to explain: nothing was ranked."
_IN_OTHER = (
    KeyHint("Enter", "accept", "enter"),
    KeyHint("↑↓", "move", "down"),
    KeyHint("Tab", "complete", "tab"),
    KeyHint("Esc", "back", "escape"),
)
_IN_WHY = (
    KeyHint("↑↓ PgUp PgDn", "scroll", "down"),
    KeyHint("?", "back to the matches", "question_mark"),
)


class MatchWhy(VerticalScroll, can_focus=False):
    """Where the ranking comes from; hidden at first, and the keys come from the panel."""

    def __init__(self) -> None:
        self._text = Static(id="match-why-text", markup=False)
        super().__init__(self._text, id="match-why")
        self.display = False

    def say(self, lines: Sequence[str]) -> None:
        """Take the lines, and begin at the first one."""
        self._text.update(Content("\n".join(lines) or _NOTHING))
        self.scroll_home(animate=False)

    def take_key(self, key: str) -> bool:
        """Scroll; whether a key does."""
        if key in _SCROLLS:
            self.scroll_relative(y=_SCROLLS[key], animate=False)
        return key in _SCROLLS


class MatchPanel(Panel[RouteChoice]):
    """Waits for the user's choice; shows the local ranking at once and the model's in its place."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.page = MatchPage()
        """What it says; what is known later is given to this."""
        self._explain: Callable[[Recommendation, int], Sequence[str]] = lambda route, width: ()
        self._other = OtherAgent(
            ranked=lambda: self.page.choices.ranked,
            changed=self._paint,
            chosen=lambda agent: self.answer(self.page.choice_of(RouteAction.OTHER, agent)),
        )
        self._matches = Static(id="match-text", markup=False)
        self._why = MatchWhy()
        self.on_engine: Callable[[str], None] = lambda name: None
        """Called with the engine's name, empty for the session's, when the user takes another."""
        self.on_task: Callable[[], None] = lambda: None
        """Called when the user wrote the task anew."""
        self.on_edit: Callable[[str], None] = lambda task: None
        """Called with the task when the user wants to edit it."""

    def compose(self) -> ComposeResult:
        """The input of *Other*, the matches, and in their place why."""
        yield self._other
        yield self._matches
        yield self._why

    def present(
        self,
        recommendation: Recommendation,
        *,
        briefs: Mapping[str, AgentBrief],
        advice: PanelAdvice | None,
        complete: Callable[[str], Sequence[str]],
        resolve: Callable[[str], str],
        explain: Callable[[Recommendation, int], Sequence[str]] = lambda route, width: (),
        beyond: Callable[[str, str], str] = lambda agent, task: "",
        refining: bool = False,
    ) -> None:
        """Show a fresh recommendation; `resolve` raises LookupError naming the nearest agents.

        `explain` gives the lines, of a width, that say where a ranking comes from.
        """
        self.page = MatchPage(
            *(recommendation, briefs, advice),
            refining=refining,
            beyond=beyond,
            changed=self._paint,
        )
        self._explain = explain
        self._show_why(False)
        self._other.close()
        self._other.look_among(complete, resolve)
        self._paint()

    def set_task(self, task: str) -> None:
        """Take the task that the user wrote anew."""
        self.page.set_task(task)
        self.guard.restart()
        self.on_task()

    def refine(
        self,
        recommendation: Recommendation,
        *,
        briefs: Mapping[str, AgentBrief],
        advice: PanelAdvice | None,
    ) -> None:
        """Take the model's view in place of the local one.

        Keys do not count for the grace period, so none is aimed at a row that just moved.
        """
        self.page.refine(recommendation, briefs, advice)
        self._show_why(self._why.display)
        self.guard.restart()

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """The keys that answer now."""
        if self.typing:
            return _IN_OTHER
        return _IN_WHY if self._why.display else self.page.hints

    @property
    def typing(self) -> bool:
        """Whether *Other* is open."""
        return self._other.is_open

    def take_key(self, key: str) -> bool:
        """Enter/a accept, 1-3 alternatives, w, o, e, m, c, t, ? why, Esc; see `hints`."""
        if not self._why.display:
            return self._go(self.page.press(key))
        if key in ("question_mark", "escape"):
            self._show_why(False)
            self.guard.restart()
            return True
        # Nothing is chosen while the matches are out of sight.
        return self._why.take_key(key) or key == "enter"

    def take_typing_key(self, key: str) -> bool:
        """Inside *Other* arrows move, Tab completes, Esc goes back."""
        if key == "escape":
            self._other.close()
            self.post_message(self.Opened())
        elif not self._other.take_key(key):
            return False
        self._paint()
        return True

    def take_click(self, key: str) -> None:
        """The first click goes to a row, one on the row for Enter takes it."""
        self._go(self.page.click(int(key)))

    def acts_on(self, letter: str) -> bool:
        """The letters of the hints, and the numbers of the rows."""
        return not self._why.display and self.page.acts_on(letter)

    def answer(self, reply: RouteChoice) -> None:
        """Give the answer and fold away what was opened."""
        self._other.close()
        self._show_why(False)
        super().answer(reply)

    def _go(self, step: RouteChoice | MatchStep | None) -> bool:
        """Do what a key or a click means; whether it means something."""
        match step:
            case RouteChoice():
                self.answer(step)
            case MatchStep.WHY:
                self._show_why(True)
            case MatchStep.EDIT:
                self.on_edit(self.page.task)
            case MatchStep():
                if step is MatchStep.LOOK:
                    self.guard.restart()  # A key that is held down never answers.
                elif step is MatchStep.OTHER:
                    self._other.open()
                elif step is MatchStep.ENGINE:
                    self.on_engine(self.page.engines.chosen)
                self._paint()
        return step is not None

    def _show_why(self, shown: bool) -> None:
        """Show where the ranking comes from in the place of the matches, or those again."""
        recommendation = self.page.choices.recommendation
        if shown and recommendation is not None:
            self._why.say(self._explain(recommendation, max(40, self.content_size.width - 2)))
        self._why.display = shown
        self._matches.display = not shown
        self.post_message(self.Changed())

    def on_resize(self) -> None:
        """Bars and reasons are cut to the new width."""
        self._paint()
        if self._why.display:
            self._show_why(True)

    def _paint(self) -> None:
        if self.page.choices.recommendation is None:
            return
        width = max(20, self.content_size.width)
        lines = self._other.lines(width) if self.typing else match_body(self.page, width)
        self._matches.update(Content.assemble(*lines))
        self.post_message(self.Changed())
