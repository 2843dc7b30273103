"""`hook session-start` and `hook user-prompt-submit`: the answers to Claude Code (Interface 8).

A hook stands between a user and their session, so it is quick, prints one JSON object or nothing,
and never fails: whatever goes wrong is logged, and the session goes on as without it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from secretary_tui import config
from secretary_tui.settings import ActivationMode
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options

LONGEST_CONTEXT = 10_000
"""Characters Claude Code takes as additional context."""
_LONGEST_PROMPT = 20_000
_LONGEST_PAYLOAD = 8_000_000
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9:_.-]{0,63}")
"""Ids that are named to a model: a repository writes names, and a name can be a sentence."""

SESSION_START = (
    "Secretary available: secretary-tui knows the agents installed here and which one fits a "
    "request. For vague or multi-step tasks, consider `secretary-tui match --json --offline -` "
    "with the user's request on standard input, tell the user which agent fits and why, and "
    "delegate only to the agent the user chooses."
)


def run(args: argparse.Namespace, options: Options) -> int:
    """Answer one hook. Always 0."""
    try:
        context = _answer(args.event, options)
        if context:
            name = "SessionStart" if args.event == "session-start" else "UserPromptSubmit"
            output = {"hookEventName": name, "additionalContext": context[:LONGEST_CONTEXT]}
            sys.stdout.write(json.dumps({"hookSpecificOutput": output}) + "\n")
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except Exception as error:
        from secretary_tui.fault_log import log_fault

        log_fault(error, f"hook {args.event}")
    return ExitCode.DONE


def _answer(event: str, options: Options) -> str:
    payload = _payload()
    project = _project(payload, options)
    settings = config.load(project)
    mode = settings.activation_mode
    if event == "session-start":
        return "" if mode is ActivationMode.MANUAL else SESSION_START
    prompt = payload.get("prompt")
    if mode is not ActivationMode.PROACTIVE or not isinstance(prompt, str):
        return ""
    prompt = prompt.strip()[:_LONGEST_PROMPT]
    if not prompt or prompt.startswith("/"):  # A command says itself who does it.
        return ""
    return _name_strong_match(prompt, project, settings, options)


def _name_strong_match(
    prompt: str, project: Path, settings: config.Config, options: Options
) -> str:
    from secretary_tui.registry.definition.spec import SourceKind
    from secretary_tui.verbs.hook_library import open_library

    library = open_library(project, settings, options.agents_dirs)
    found = library.route(prompt, settings)
    best = next((match for match in found.matches if match.agent == found.recommended), None)
    if best is None or not _SLUG.fullmatch(best.agent):
        return ""
    agent = best.agent
    kind = library.source_kind(best.path)
    known_to_claude = kind in (SourceKind.PROJECT, SourceKind.USER, SourceKind.PLUGIN, None)
    how = (
        f"Task({{ subagent_type: '{agent}', prompt: <user_request> }})"
        if known_to_claude
        else f"`secretary-tui run --agent {agent}` with the request on standard input (`-`)"
    )
    return (
        f"secretary-tui: the agent `{agent}` fits this prompt ({best.confidence}% match). Offer it "
        f"to the user, and only if they choose it delegate with {how}."
    )


def _payload() -> Mapping[str, object]:
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    raw = sys.stdin.buffer.read(_LONGEST_PAYLOAD).decode("utf-8-sig", "replace")
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _project(payload: Mapping[str, object], options: Options) -> Path:
    cwd = payload.get("cwd")
    if isinstance(cwd, str) and "\0" not in cwd:
        folder = Path(cwd)
        if folder.is_absolute() and folder.is_dir():
            return folder
    return options.project
