"""What the exit status of the command line says."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit statuses, the same for every verb."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    NO_MATCH = 3
    CANCELLED = 4
    """Cancelled by the user, or refused because nobody could be asked."""
    UNTRUSTED = 5
    """Nothing was run: the user has not said yet that the folder is trusted."""
    COST_CAP = 6
    """The run stopped at its cost cap; what was done is kept, and it can be continued."""
    INTERRUPTED = 130
    READER_GONE = 141
    """Whoever read the output closed it early (128 + SIGPIPE, as with other programs)."""


EXIT_CODES_HELP = (
    "exit status: 0 done, 1 failed, 2 usage, 3 no match, 4 cancelled or denied,\n"
    "5 folder not trusted, 6 stopped at the cost cap, "
    "130 interrupted, 141 broken pipe"
)
