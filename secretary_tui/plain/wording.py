"""What the user must judge, in lines that can't be mistaken for the program's own.

Each line of a command or diff begins with its number, and the number of lines is said first: no
text from outside can look, or sound, like the end of itself.
"""

from __future__ import annotations

from secretary_tui.people import Question, ToolDecision, ToolRequest
from secretary_tui.sanitize import clean_line, reveal
from secretary_tui.verbs.output import amount

_SIGNS = {"+": "added", "-": "removed", " ": "same"}
"""Said in words: many screen readers leave out a plus or a minus."""


def request_lines(request: ToolRequest) -> list[str]:
    """Say all of what a tool would do, hidden characters made visible, and what to mind."""
    detail = reveal(request.detail or request.summary).rstrip("\n").split("\n")
    is_diff = not request.is_command and any(line.startswith("@@ ") for line in detail)
    what = "The whole change" if is_diff else "All of it"
    return [
        f"{clean_line(request.agent)} asks to use {request.tool}{_walls(request)} "
        f"in {clean_line(request.cwd)}. {what}, {amount(len(detail), 'line')}:",
        *numbered(diff_in_words(detail) if is_diff else detail),
        *(f"Warning: {clean_line(warning)}." for warning in request.warnings),
        *(f"Why it is asked: {clean_line(reason)}." for reason in request.reasons),
    ]


def answers_to(request: ToolRequest) -> dict[str, tuple[ToolDecision, str]]:
    """The words that answer a tool request, with what each does and how far it reaches."""
    run, always = request.reach
    answers = {
        "yes": (ToolDecision.ONCE, "once"),
        "run": (ToolDecision.RUN, run),
        "always": (ToolDecision.ALWAYS, always),
        "no": (ToolDecision.DENY, "deny it; `no` and a reason tells the agent why"),
    }
    return {word: (decision, what) for word, (decision, what) in answers.items() if what}


def question_lines(question: Question, place: str) -> list[str]:
    """Say a clarifying question, its answers numbered."""
    asker = f"{clean_line(question.asker)} asks" if question.asker else "Question"
    lines = [f"{asker}{place}: {clean_line(question.question)}"]
    for option in question.options:
        about = f". {clean_line(option.description)}" if option.description else ""
        lines.append(clean_line(option.label) + about)
    return [lines[0], *numbered(lines[1:])]


def numbered(lines: list[str]) -> list[str]:
    """Put its number before each line."""
    return [f"{number}: {line}" for number, line in enumerate(lines, 1)]


def _walls(request: ToolRequest) -> str:
    if request.confinement:
        return f", sandboxed but for {clean_line(request.confinement)},"
    return ", unsandboxed," if request.is_command and not request.sandboxed else ""


def diff_in_words(diff: list[str]) -> list[str]:
    """Say a unified diff's signs as words; its header stays as it is."""
    lines: list[str] = []
    in_header = True
    for line in diff:
        if line.startswith("@@ "):
            in_header = False
            lines.append(f"place {line}")
        elif in_header or not line:
            lines.append(line)
        else:
            said = _SIGNS.get(line[0])
            lines.append(f"{said}: {line[1:]}" if said else line)
    return lines
