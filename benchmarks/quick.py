"""The option `--quick` of benchmarks that take minutes: fewer rounds, to see that they run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


class _Quick(argparse.Action):
    """Sets several options at once."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        for name, value in self.const.items():
            setattr(namespace, name, value)


def add_quick(parser: argparse.ArgumentParser, **options: object) -> None:
    """Add `--quick`, which gives the named options these values."""
    said = ", ".join(f"--{name} {value}" for name, value in options.items())
    parser.add_argument(
        "--quick", action=_Quick, nargs=0, const=options, default=False, help=f"the same as {said}"
    )
