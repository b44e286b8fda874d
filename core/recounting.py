"""Verify the kept counts of a list, and correct those that are wrong."""

from collections.abc import Iterator

from django.db import connection

from core.counts import KEY, CountedList, day_of


def wrong_counts(counted: CountedList) -> Iterator[str]:
    """Yield a sentence for each key whose counts do not add up to the actual rows."""
    differences = [_differences(counted)]
    if counted.by_day:
        differences.append(_differences_by_period(counted))
    with connection.cursor() as cursor:
        for statement in differences:
            cursor.execute(statement)
            for *key, difference in cursor.fetchall():
                yield f"The count of {key} is wrong: {difference:+} would correct it."


def correct_counts(counted: CountedList) -> int:
    """Correct every wrong count of a list while others write; return how many were wrong.

    One statement sees rows and entries at one moment, and adds an entry for each difference.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO core_countentry ({_KEY}, change, is_sum)"  # noqa: S608  # our own names
            f" SELECT {_KEY}, difference, false FROM ({_differences(counted)}) AS wrong"
        )
        return int(cursor.rowcount)


def correct_period_counts(counted: CountedList) -> int:
    """Correct wrong counts of days, months and years likewise; return how many were wrong."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO core_periodcount ({_KEY}, period, number)
            SELECT {_KEY}, period, difference
            FROM ({_differences_by_period(counted)}) AS wrong
            WHERE true ORDER BY {_KEY}, period
            ON CONFLICT ({_KEY}, period)
            DO UPDATE SET number = core_periodcount.number + excluded.number
            """  # noqa: S608  # our own names
        )
        return int(cursor.rowcount)


def wrong_totals() -> Iterator[str]:
    """Yield a sentence for each total of all owners that is not the sum of their sums."""
    with connection.cursor() as cursor:
        cursor.execute(_TOTALS_OFF)
        for *key, difference in cursor.fetchall():
            yield f"The total of {key} is wrong: {difference:+} would correct it."


def correct_totals() -> None:
    """Correct every wrong total of all owners while others write, by one statement."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO core_listtotal ({_OF_ALL}, number) {_TOTALS_OFF} ORDER BY {_OF_ALL}
            ON CONFLICT ({_OF_ALL})
            DO UPDATE SET number = core_listtotal.number + excluded.number
            """
        )


_KEY = ", ".join(KEY)
_OF_ALL = "list, livemode, status, kind"
_TOTALS_OFF = f"""
    SELECT {_OF_ALL}, SUM(number) AS difference FROM (
        SELECT {_OF_ALL}, change AS number FROM core_countentry WHERE is_sum
        UNION ALL
        SELECT {_OF_ALL}, -number FROM core_listtotal
    ) AS counted GROUP BY {_OF_ALL} HAVING SUM(number) <> 0
"""  # noqa: S608  # our own names


def _differences(counted: CountedList) -> str:
    return f"""
        SELECT {_KEY}, SUM(number) AS difference FROM (
            SELECT {_values(counted)}, COUNT(*) AS number FROM {counted.table} AS listed
            WHERE {counted.applies_to("listed")} GROUP BY 1, 2, 3, 4, 5
            UNION ALL
            SELECT {_KEY}, -change FROM core_countentry WHERE list = '{counted.name}'
        ) AS counted GROUP BY {_KEY} HAVING SUM(number) <> 0
    """  # noqa: S608  # no part of it comes from outside


def _differences_by_period(counted: CountedList) -> str:
    return f"""
        SELECT {_KEY}, period, SUM(number) AS difference FROM (
            SELECT {_KEY}, substr(day, 1, length) AS period, number
            FROM (SELECT 4 AS length UNION ALL SELECT 7 UNION ALL SELECT 10) AS periods, (
                SELECT {_values(counted)}, {day_of("listed")} AS day, COUNT(*) AS number
                FROM {counted.table} AS listed
                WHERE {counted.applies_to("listed")} GROUP BY 1, 2, 3, 4, 5, 6
                UNION ALL
                SELECT {_KEY}, day, -change FROM core_countentry
                WHERE list = '{counted.name}' AND day IS NOT NULL
            ) AS days
            UNION ALL
            SELECT {_KEY}, period, -number FROM core_periodcount WHERE list = '{counted.name}'
        ) AS counted GROUP BY {_KEY}, period HAVING SUM(number) <> 0
    """  # noqa: S608  # no part of it comes from outside


def _values(counted: CountedList) -> str:
    pairs = zip(counted.key_of("listed"), KEY, strict=True)
    return ", ".join(f"{value} AS {name}" for value, name in pairs)
