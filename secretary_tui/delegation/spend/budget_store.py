"""A budget that several processes draw on: one small JSON file, and a lock beside it.

```json
{
  "limit_usd": 5.0,
  "spent_usd": 1.25,
  "unpriced": 0,
  "reservations": {
    "6f0c…": {"usd": 0.4, "pid": 4711, "started": "713444 of 0f9c…"}
  }
}
```

- `limit_usd`: what may be spent together.
- `spent_usd`: what was spent. `unpriced` answers among it had no known price; each counts with all
  that was set aside for it.
- `reservations`: what is set aside for answers that are still to come, by a random id, and the
  process that did so: its id and, since ids are given again, when it began, as the system says it.
  What a process had set aside that is gone (or can't be seen from here) is counted as spent in full
  by the next one that writes: nobody knows what its answer cost.

Spent and set aside are never above the limit together, unless an answer cost more than was set
aside for it. The file is replaced as a whole, so a crash leaves the old one or the new one. One
that is missing or can't be read refuses everything, since it is no empty budget.
"""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from secretary_tui import paths
from secretary_tui.delegation.spend.budget import BudgetSpentError, BudgetStoreError
from secretary_tui.number_format import dollars
from secretary_tui.spend import Spend

_MAX_BYTES = 1_000_000
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, validate_assignment=True)
_PLAIN_TIME = {"PATH": "/bin:/usr/bin", "LC_ALL": "C", "TZ": "UTC"}
"""Makes `ps` write a time the same way in every process."""
_Usd = Annotated[float, Field(ge=0)]


class _Held(BaseModel):
    """What is set aside for one answer, and by which process."""

    model_config = _STRICT
    usd: _Usd
    pid: int
    started: str


class _Account(BaseModel):
    """What the file says."""

    model_config = _STRICT
    limit_usd: _Usd
    spent_usd: _Usd = 0.0
    unpriced: Annotated[int, Field(ge=0)] = 0
    reservations: dict[str, _Held] = Field(default_factory=dict)

    @property
    def left_usd(self) -> float:
        held = (one.usd for one in self.reservations.values())
        return max(0.0, self.limit_usd - math.fsum((self.spent_usd, *held)))

    def count_abandoned(self) -> None:
        """Count in full what processes had set aside that are gone."""
        for name, held in tuple(self.reservations.items()):
            if _began(held.pid) != held.started:
                self.spent_usd += self.reservations.pop(name).usd


class BudgetFile:
    """The budget in one file; safe to use from several processes and threads."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def create(cls, path: Path, limit_usd: float) -> BudgetFile:
        """Write the file of a new budget in US dollars.

        Raises:
            BudgetStoreError: there is one already, or it can't be written.
            ValueError: `limit_usd` is no amount.
        """
        made, account = cls(path), _Account(limit_usd=limit_usd)
        with made._locked():
            if path.exists():
                raise made._error("is there already", "Choose another name for the new one.")
            made._write(account)
        return made

    @property
    def spent(self) -> Spend:
        """What was spent, answers of an unknown price among it.

        Raises:
            BudgetStoreError: the file can't be read.
        """
        account = self._read()
        return Spend(account.spent_usd, account.unpriced)

    @property
    def left_usd(self) -> float:
        """What is neither spent nor set aside.

        Raises:
            BudgetStoreError: the file can't be read.
        """
        return self._read().left_usd

    def reserve(self, most_usd: float) -> FileReservation:
        """Set aside what an answer can cost at most.

        Raises:
            BudgetSpentError: less is left.
            BudgetStoreError: the file can't be read or written.
            ValueError: `most_usd` is no amount.
        """
        name, pid = uuid.uuid4().hex, os.getpid()
        held = _Held(usd=most_usd, pid=pid, started=_began(pid))
        with self._changed() as account:
            left = account.left_usd
            if most_usd > left:
                raise BudgetSpentError(
                    f"{dollars(left)} of {dollars(account.limit_usd)} are left; the next answer "
                    f"can cost {dollars(most_usd)}."
                )
            account.reservations[name] = held
        return FileReservation(self, name, most_usd)

    def pay(self, cost_usd: float | None) -> None:
        """Count what nothing was set aside for; None is an unknown price.

        Raises:
            BudgetStoreError: the file can't be read or written.
        """
        self._count("", 0.0, cost_usd)

    def _count(self, name: str, reserved_usd: float, cost_usd: float | None) -> None:
        """Count one answer in place of what was set aside for it under that name."""
        with self._changed() as account:
            # Who was taken for gone has been counted in full already.
            counted = reserved_usd if account.reservations.pop(name, None) is None else 0.0
            if cost_usd is None or not 0 <= cost_usd < math.inf:
                cost_usd, account.unpriced = reserved_usd, account.unpriced + 1
            account.spent_usd += max(0.0, cost_usd - counted)

    @contextlib.contextmanager
    def _changed(self) -> Iterator[_Account]:
        """The account, alone; written back unless something is raised."""
        with self._locked():
            account = self._read()
            account.count_abandoned()
            yield account
            self._write(account)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(paths.locked(self._path.with_name(f"{self._path.name}.lock")))
            except OSError as error:
                raise self._unusable("locked", error) from None
            yield

    def _read(self) -> _Account:
        try:
            return _Account.model_validate_json(paths.read_small(self._path, _MAX_BYTES))
        except OSError as error:
            raise self._unusable("read", error) from None
        except ValidationError:
            hint = "Put a whole one in its place; nothing is spent until then."
            raise self._error("is damaged", hint) from None

    def _write(self, account: _Account) -> None:
        try:
            paths.write_atomic(self._path, account.model_dump_json(indent=2) + "\n", mode=0o600)
        except OSError as error:
            raise self._unusable("written", error) from None

    def _unusable(self, how: str, error: OSError) -> BudgetStoreError:
        why = error.strerror or str(error)
        return self._error(f"can't be {how}: {why}", "Nothing is spent until it can be.")

    def _error(self, what: str, suggestion: str) -> BudgetStoreError:
        return BudgetStoreError(f"The budget {paths.shown(self._path)} {what}.", suggestion)


class FileReservation:
    """Money of a budget file that is set aside for one answer."""

    def __init__(self, file: BudgetFile, name: str, usd: float) -> None:
        self._file = file
        self._name = name
        self._usd = usd

    def settle(self, cost_usd: float | None) -> None:
        """Count what the answer cost and give the rest back; call it once.

        An unknown price (None) counts with all that was set aside.

        Raises:
            BudgetStoreError: the file can't be read or written; it stays set aside.
        """
        self._file._count(self._name, self._usd, cost_usd)


def _began(pid: int) -> str:
    """When a process began, in words that stay the same while it runs; empty once it ended."""
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
            boot = Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
        except OSError:
            return ""
        # The name stands in parentheses and may hold any character, so it is counted from behind.
        state, *numbers = stat.rpartition(")")[2].split()
        return "" if state in "ZX" else f"{numbers[18]} of {boot}"
    command = ("ps", "-o", "stat=,lstart=", "-p", str(pid))
    told = subprocess.run(command, env=_PLAIN_TIME, capture_output=True, text=True, check=False)
    state, _, began = told.stdout.strip().partition(" ")
    return "" if state.startswith("Z") else began.strip()
