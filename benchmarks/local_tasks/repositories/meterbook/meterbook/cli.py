"""Command line entry point."""

import argparse
import sys

from .readings import ReadingError, load_readings
from .report import build_report


def parse_args(argv):
    parser = argparse.ArgumentParser(prog="meterbook")
    parser.add_argument("path", help="CSV file with the readings")
    parser.add_argument("--meter", help="report only this meter")
    return parser.parse_args(argv)


def main(argv=None):
    args = parse_args(argv)
    try:
        readings = load_readings(args.path)
    except (OSError, ReadingError) as error:
        print(f"meterbook: {error}", file=sys.stderr)
        return 1
    print(build_report(readings, only=args.meter))
    return 0


if __name__ == "__main__":
    sys.exit(main())
