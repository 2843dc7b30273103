"""One calm sentence for what a verb could not do."""

from __future__ import annotations


def explain(error: Exception, doing: str) -> str:
    """Say what happened and what to do next.

    The rooms' own exceptions speak for themselves. Anything else was not foreseen: it goes to the
    log file, and the sentence says where that is. `doing` names what was going on.
    """
    if type(error).__module__.startswith("secretary_tui."):
        suggestion = getattr(error, "suggestion", "")
        sentence = str(error)
        return f"{sentence.rstrip('.')}. {suggestion}" if suggestion else sentence
    from secretary_tui.verbs.fault_log import log_fault

    path = log_fault(error, doing)
    return f"something went wrong that should not ({type(error).__name__}). Details are in {path}"
