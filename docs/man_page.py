"""The manual page, made from the parser: `docs/generate.py` writes it to docs/man.

man(7) macros alone, so that groff and mandoc both take it; letters beyond ASCII are escaped, so
that it reads the same whatever encoding a system assumes.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable, Iterator

from secretary_tui import __version__
from secretary_tui.settings import SETTINGS
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.grammar.arguments import DESCRIPTION, build_parser
from secretary_tui.verbs.grammar.help_examples import COMMON, EXAMPLES

NAME = "find the right agent of a library and run it safely"
EXIT_STATUS = {
    ExitCode.DONE: "Done.",
    ExitCode.FAILED: "Failed; the error output says why.",
    ExitCode.USAGE: "The command line can't be carried out as typed.",
    ExitCode.NO_MATCH: "No agent fits the request.",
    ExitCode.CANCELLED: "Cancelled by the user, or refused because nobody could be asked.",
    ExitCode.UNTRUSTED: "Nothing was run: the folder is not trusted.",
    ExitCode.COST_CAP: "The run stopped at its cost cap and can be continued.",
    ExitCode.INTERRUPTED: "Interrupted.",
    ExitCode.READER_GONE: "The reader of the output went away.",
}
FILES = (
    ("~/.config/secretary-tui/config.md", "Your own settings."),
    ("~/.config/secretary-tui/knowledge.txt", "Words of your own that requests are read by."),
    (".claude/secretary.local.md", "The project's settings, which can only tighten yours."),
    (".claude/agents/", "The project's agents."),
    ("~/.claude/agents/", "Your own agents, in all projects."),
    ("~/.local/state/secretary-tui/runs/", "A file for each run: what happened, and its answers."),
    ("~/.local/state/secretary-tui/undo/", "The originals of files that runs changed."),
    ("~/.local/state/secretary-tui/secretary-tui.log", "Faults that were not foreseen."),
    ("~/.local/share/secretary-tui/models/", "Weights of local models."),
)
ENVIRONMENT = (
    ("ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN", "The key of the Anthropic API."),
    ("ANTHROPIC_BASE_URL", "Another host that speaks its protocol."),
    ("VISUAL, EDITOR", "The editor for requests and agents' files; vi without them."),
    ("PAGER", "The pager for what the screen shows."),
    ("NO_COLOR", "When set and not empty, the screen has no colours."),
    (
        "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
        "Other places than those named under FILES.",
    ),
)
SEE_ALSO = (
    "The screen explains its keys with F1. More about all of it stands in the folder docs/ of the "
    "source: keys.md, command-line.md, routing.md, configuration.md, engines.md, security.md."
)


def man_page() -> str:
    """The whole page."""
    parser = build_parser()
    lines = [
        f'.TH SECRETARY\\-TUI 1 "" "secretary\\-tui {__version__}" "User Commands"',
        *section("NAME", f"secretary\\-tui \\- {escaped(NAME)}"),
        *section(
            "SYNOPSIS",
            r"\fBsecretary\-tui\fP [\fIOPTIONS\fP]",
            ".br",
            r"\fBsecretary\-tui\fP [\fIOPTIONS\fP] \fIVERB\fP \fR...\fP",
        ),
        *section("DESCRIPTION", *paragraph(" ".join(DESCRIPTION.split()))),
        *section("OPTIONS", "These go before or after any verb."),
        *_options(action for action in parser._actions if not _is_verbs(action)),
        *section("VERBS"),
    ]
    for words, verb in verbs_of(parser):
        lines += _verb(words, verb)
    lines += section("EXIT STATUS")
    for code, said in EXIT_STATUS.items():
        lines += item(str(int(code)), said)
    lines += section("ENVIRONMENT")
    for names, said in ENVIRONMENT:
        lines += item(names, said)
    for setting in SETTINGS:
        lines += item(f"SECRETARY_TUI_{setting.key.upper()}", setting.help)
    lines += section("FILES")
    for name, said in FILES:
        lines += item(name, said)
    examples = [example for one in EXAMPLES.values() for example in one]
    lines += section("EXAMPLES", ".nf")
    lines += [escaped(f"secretary-tui {example}") for example in examples]
    lines += [".fi"]
    lines += section("SEE ALSO", *paragraph(SEE_ALSO))
    return "\n".join(lines) + "\n"


def verbs_of(
    parser: argparse.ArgumentParser, before: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every verb with its words, such as `agents new`, each before its own verbs."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, verb in action.choices.items():
                yield f"{before}{name}", verb
                yield from verbs_of(verb, f"{before}{name} ")


def section(title: str, *lines: str) -> list[str]:
    """A heading and what follows it, as roff."""
    return [f".SH {title}", *lines]


def item(tag: str, text: str) -> list[str]:
    """A tagged paragraph, as roff."""
    return [".TP", rf"\fB{escaped(tag)}\fP", *paragraph(sentence(text))]


def paragraph(text: str) -> list[str]:
    """Prose, as lines of roff."""
    lines = textwrap.wrap(escaped(text), 78, break_long_words=False, break_on_hyphens=False)
    return [f"\\&{line}" if line.startswith(".") else line for line in lines]


def sentence(text: str) -> str:
    """A text with a capital, unless it begins with a value (`text: …`), and a full stop."""
    text = text.strip()
    if not text:
        return text
    first = text[0] if re.match(r"[\w-]+(: |[_.]\w)", text) else text[0].upper()
    return first + text[1:] + ("" if text[-1] in ".?" else ".")


def escaped(text: str) -> str:
    """A text that roff takes as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    text = text.replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)


def _verb(words: str, verb: argparse.ArgumentParser) -> list[str]:
    own = [a for a in verb._actions if a.dest not in COMMON and a.dest != "help"]
    summary = (verb.description or "").strip()
    lines = [
        f".SS {escaped(words)}",
        rf"\fBsecretary\-tui {escaped(words)}\fP {_usage(own)}".rstrip(),
    ]
    lines += [".PP", *paragraph(summary)] if summary else []
    return [*lines, *_options(action for action in own if not _is_verbs(action))]


def _usage(actions: Iterable[argparse.Action]) -> str:
    parts = []
    for action in actions:
        if _is_verbs(action):
            parts.append(r"[\fIVERB\fP]")
        elif not action.option_strings:
            name = rf"\fI{escaped(_metavar(action))}\fP"
            name += r" \fR...\fP" if action.nargs in ("*", "+") else ""
            parts.append(f"[{name}]" if action.nargs in ("?", "*") else name)
    options = any(action.option_strings for action in actions)
    return " ".join([*([r"[\fIOPTIONS\fP]"] if options else []), *parts])


def _options(actions: Iterable[argparse.Action]) -> list[str]:
    lines = []
    for action in actions:
        help_text = (action.help or "") % {"default": action.default, "prog": "secretary-tui"}
        choices = action.choices if action.nargs != 0 and action.choices else ()
        if action.option_strings:
            tag = ", ".join(rf"\fB{escaped(name)}\fP" for name in action.option_strings)
            if action.nargs != 0:
                tag += rf" \fI{escaped(_metavar(action))}\fP"
        else:
            tag = rf"\fI{escaped(_metavar(action))}\fP"
        said = sentence(help_text)
        if choices:
            said = f"{said} One of {', '.join(map(str, choices))}.".strip()
        lines += [".TP", tag, *paragraph(said)]
    return lines


def _metavar(action: argparse.Action) -> str:
    return action.metavar if isinstance(action.metavar, str) else action.dest.upper()


def _is_verbs(action: argparse.Action) -> bool:
    return isinstance(action, argparse._SubParsersAction)
