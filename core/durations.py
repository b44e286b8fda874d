"""Lengths of time as English texts name them."""

from datetime import timedelta

_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


def in_words(length: timedelta) -> str:
    """Write a length in the largest unit that needs no fraction: 5 minutes, 24 hours, 30 days.

    Up to two days are hours, as people say them.
    """
    seconds = round(length.total_seconds())
    for unit, size in _UNITS:
        count = seconds // size
        if not seconds % size and (count > 2 or (count and unit != "day")):
            return f"{count} {unit}{'s' if count != 1 else ''}"
    return f"{seconds} seconds"
