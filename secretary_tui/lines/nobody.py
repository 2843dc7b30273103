"""Who is asked where there is no terminal to ask at: nobody, so the answer is the safe one."""

from __future__ import annotations

from secretary_tui.lines.output import note
from secretary_tui.people import (
    SAFE,
    Answer,
    Choice,
    People,
    Question,
    Recommendation,
    RouteAction,
    RouteChoice,
    ToolAnswer,
    ToolDecision,
    ToolRequest,
)
from secretary_tui.sanitize import clean_line


class NobodyThere(People):
    """Skips, cancels and denies, and says so on the error output."""

    def __init__(self) -> None:
        self.denied = False
        """Whether something was denied, in a called agent too."""

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Skip them all."""
        return ()

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Cancel."""
        return RouteChoice(RouteAction.CANCEL)

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Deny, and say so to the model and on the error output."""
        self.denied = True
        # What is warned of, such as a protected path, asks in that mode, too.
        edits = request.tool in ("Write", "Edit") and not request.warnings
        hint = "; --permission-mode accept-edits allows edits" if edits else ""
        what = f"{request.tool} {clean_line(request.summary)}"
        note(f"Denied: {what} (nobody can be asked here{hint})")
        return ToolAnswer(
            ToolDecision.DENY,
            "Nobody can be asked in this non-interactive run. Go on without it, or say what you "
            "would have done.",
            from_user=False,
        )

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Take the safe way, and say on the error output what was asked."""
        note(f"Nobody can be asked here: {clean_line(title)}")
        return SAFE
