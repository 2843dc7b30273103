"""Turn consumed units into money."""

# Each tier is (upper bound in units, price per unit). None means no bound.
TIERS = [
    (100, 0.20),
    (250, 0.28),
    (None, 0.35),
]

BASE_FEE = 4.50


def tiered_cost(units, tiers=TIERS):
    """Cost of `units`: every tier's price applies only to the units in it."""
    if units < 0:
        raise ValueError("units must not be negative")
    total = 0.0
    lower = 0
    for upper, price in tiers:
        if upper is None or units <= upper:
            total += (units - lower) * price
            break
        total += (upper - lower) * price
    return round(total, 2)


def monthly_bill(units, tiers=TIERS, fee=BASE_FEE):
    """Base fee plus the tiered cost of one month."""
    return round(fee + tiered_cost(units, tiers), 2)
