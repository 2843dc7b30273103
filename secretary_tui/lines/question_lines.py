"""What the user must judge, in lines that can't be mistaken for the program's own.

Each line of a command or diff begins with its number, and the number of lines is said first: no
text from outside can look, or sound, like the end of itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from secretary_tui.lines.line_query import (
    CANCEL_OPTION,
    LineOption,
    LineQuery,
    OptionAction,
    QueryType,
    is_cancel,
)
from secretary_tui.lines.output import amount
from secretary_tui.people import (
    SAFE,
    Answer,
    Choice,
    Option,
    Question,
    ToolDecision,
    ToolRequest,
)
from secretary_tui.sanitize import clean_line, reveal

SKIP = "skip"
_NO = "no"
_SIGNS = {"+": "added", "-": "removed", " ": "same"}
"""Said in words: many screen readers leave out a plus or a minus."""


def request_lines(request: ToolRequest, *, spoken: bool) -> list[str]:
    """Say all of what a tool would do, hidden characters made visible, and what to mind."""
    detail = reveal(request.detail or request.summary).rstrip("\n").split("\n")
    is_diff = not request.is_command and any(line.startswith("@@ ") for line in detail)
    what = "The whole change" if is_diff else "All of it"
    return [
        f"{clean_line(request.agent)} wants to use {request.tool}{_walls(request)} "
        f"in {clean_line(request.cwd)}. {what}, {amount(len(detail), 'line')}:",
        *numbered(diff_in_words(detail) if is_diff and spoken else detail),
        *(f"Warning: {clean_line(warning)}." for warning in request.warnings),
        *(f"Asked because: {clean_line(reason)}." for reason in request.reasons),
    ]


def answers_to(request: ToolRequest, *, spoken: bool) -> dict[str, tuple[ToolDecision, str]]:
    """What answers a tool request, each with what it does and how far it reaches.

    Whole words where they are spoken, their first letters otherwise.
    """
    run, always = request.reach
    no = "deny it; `no` and a reason tells the agent why" if spoken else "deny"
    answers = {
        "yes": (ToolDecision.ONCE, "once"),
        "run": (ToolDecision.RUN, run),
        "always": (ToolDecision.ALWAYS, always),
        "no": (ToolDecision.DENY, no),
    }
    return {(w if spoken else w[0]): answer for w, answer in answers.items() if answer[1]}


def choice_answers(choices: tuple[Choice, ...], *, spoken: bool) -> dict[str, Choice]:
    """What answers a set of choices: numbers where they are spoken, their keys otherwise."""
    acting = [choice for choice in choices if choice.key != SAFE]
    safe = next((choice for choice in choices if choice.key == SAFE), Choice(SAFE, "Cancel"))
    if spoken:
        return {**{str(n): choice for n, choice in enumerate(acting, 1)}, "no": safe}
    return {**{choice.key: choice for choice in acting}, "q": safe}


def tool_query(request: ToolRequest, *, spoken: bool) -> LineQuery:
    """What is asked about a tool call."""
    reaches = {word: does for word, (_, does) in answers_to(request, spoken=spoken).items()}
    options, prompt = offered(reaches, spoken=spoken)
    text = tuple(request_lines(request, spoken=spoken))
    return LineQuery(
        QueryType.PERMISSION, text, prompt, options, names_it=is_no, may_come_early=is_no
    )


def choice_query(title: str, text: str, choices: tuple[Choice, ...], *, spoken: bool) -> LineQuery:
    """What is asked about ways to go on."""
    answers = choice_answers(choices, spoken=spoken)
    labels = {word: clean_line(choice.label) for word, choice in answers.items()}
    if not spoken:
        labels = {word: label.lower() for word, label in labels.items()}
    options, prompt = offered(labels, spoken=spoken)
    said = (clean_line(reveal(title)), *([reveal(text)] if text else []))
    return LineQuery(
        QueryType.QUESTION, said, prompt, options, names_it=is_no, may_come_early=is_no
    )


def question_query(question: Question, place: str, *, can_cancel: bool) -> LineQuery:
    """What a clarifying question asks, its answers numbered."""
    asked = clean_line(question.question)
    many = "Numbers separated by commas" if question.multi_select else "A number"
    ways = ["your own words", "Enter to skip", *(["cancel"] if can_cancel else [])]
    ways[-1] = f"or {ways[-1]}"
    options = [
        LineOption(str(number), _option_text(option))
        for number, option in enumerate(question.options, 1)
    ]
    options.append(LineOption(SKIP, "Skip the question", listed=False))
    if can_cancel:
        options.append(CANCEL_OPTION)
    return LineQuery(
        QueryType.QUESTION,
        (f"{clean_line(question.asker)} asks{place}: {asked}" if question.asker else asked,),
        f"{', '.join((many, *ways))}: ",
        tuple(options),
        lead="" if question.asker else f"Question{place}: ",
        about=question.about,
        names_it=is_cancel,
        may_come_early=lambda line: True,
    )


def offered(answers: Mapping[str, str], *, spoken: bool) -> tuple[tuple[LineOption, ...], str]:
    """An option for each answer and what it does, the last of which does nothing; the prompt.

    For eyes the prompt says it all.
    """
    *others, last = answers
    options = tuple(
        LineOption(
            word,
            does,
            OptionAction.CANCEL if word == last else OptionAction.ANSWER,
            listed=spoken,
        )
        for word, does in answers.items()
    )
    if not spoken:
        return options, " · ".join(f"{word} {does}" for word, does in answers.items()) + ": "
    return options, f"Answer {', '.join(others)} or {last}: "


def is_no(line: str) -> bool:
    """Whether a line is a plain no, maybe with a reason: it needs nothing to be understood."""
    return is_cancel(line) or line.lower().split(" ", 1)[0] == _NO


def understand(question: Question, typed: str) -> Answer | None:
    """Give what a typed line answers; None for a number that is not offered.

    Numbers are options, words are *Other*.
    """
    if typed.lower() == SKIP:
        return Answer(question.question)
    parts = [part.strip() for part in typed.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() for part in parts):
        return Answer(question.question, other=typed)
    numbers = [int(part) for part in parts]
    fitting = all(1 <= number <= len(question.options) for number in numbers)
    if not fitting or (len(numbers) > 1 and not question.multi_select):
        return None
    labels = tuple(question.options[number - 1].label for number in dict.fromkeys(numbers))
    return Answer(question.question, labels=labels)


def numbered(lines: list[str]) -> list[str]:
    """Put its number before each line."""
    return [f"{number}: {line}" for number, line in enumerate(lines, 1)]


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


def _option_text(option: Option) -> str:
    about = f". {clean_line(option.description)}" if option.description else ""
    return clean_line(option.label) + about


def _walls(request: ToolRequest) -> str:
    if request.confinement:
        return f", sandboxed except for {clean_line(request.confinement)},"
    return ", unsandboxed," if request.is_command and not request.sandboxed else ""
