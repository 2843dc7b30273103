"""Conversions between the units that meters use."""

# Energy in one cubic metre of gas, as printed on the yearly bill.
KWH_PER_M3 = 10.55


def m3_to_kwh(cubic_metres):
    """Energy in kWh of a volume of gas in cubic metres."""
    if cubic_metres < 0:
        raise ValueError("volume must not be negative")
    return cubic_metres * KWH_PER_M3


def litres_to_m3(litres):
    """Cubic metres of a volume in litres."""
    return litres / 1000
