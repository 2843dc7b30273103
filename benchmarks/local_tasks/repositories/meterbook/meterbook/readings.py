"""Load meter readings and work out consumption."""

import csv
from dataclasses import dataclass
from datetime import date

# Mechanical counters have five digits and start again at zero.
COUNTER_SIZE = 100_000


class ReadingError(ValueError):
    """A row that cannot be used as a reading."""


@dataclass(frozen=True)
class Reading:
    meter: str
    day: date
    value: float


def parse_row(row, line):
    try:
        meter = row["meter"].strip()
        day = date.fromisoformat(row["date"].strip())
        value = float(row["value"])
    except KeyError as missing:
        raise ReadingError(f"line {line}: no column {missing}")
    except ValueError as error:
        raise ReadingError(f"line {line}: {error}")
    if value < 0:
        raise ReadingError(f"line {line}: negative value")
    return Reading(meter, day, value)


def load_readings(path):
    with open(path, newline="", encoding="utf-8") as handle:
        rows = csv.DictReader(handle)
        return [parse_row(row, line) for line, row in enumerate(rows, start=2)]


def by_meter(readings):
    groups = {}
    for reading in readings:
        groups.setdefault(reading.meter, []).append(reading)
    for group in groups.values():
        group.sort(key=lambda reading: reading.day)
    return groups


def consumption(readings):
    """Return (day, used) for each reading after the first."""
    result = []
    for earlier, later in zip(readings, readings[1:]):
        used = later.value - earlier.value
        if used < 0:
            used += COUNTER_SIZE
        result.append((later.day, used))
    return result


def daily_rate(readings):
    total = sum(used for _, used in consumption(readings))
    days = (readings[-1].day - readings[0].day).days
    return total / days
