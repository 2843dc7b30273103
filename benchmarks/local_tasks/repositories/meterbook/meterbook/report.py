"""Build the printed report."""

from .readings import by_meter, consumption, daily_rate
from .tariff import tiered_cost


def format_money(amount):
    return f"{amount:,.2f} EUR"


def meter_summary(name, readings):
    if not readings:
        return f"{name}: no readings"
    total = sum(used for _, used in consumption(readings))
    rate = daily_rate(readings)
    cost = format_money(tiered_cost(total))
    return f"{name}: {total:.1f} units, {rate:.2f} a day, {cost}"


def build_report(readings, only=None):
    lines = []
    for name, group in sorted(by_meter(readings).items()):
        if only and name != only:
            continue
        lines.append(meter_summary(name, group))
    return "\n".join(lines)
