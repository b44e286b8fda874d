"""Copy one row many times, in a single SQL statement."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.db.models import Model

FIRST_NUMBER = 1_000_000_000  # ten digits, like all that follow


def numbered(prefix: str, number: str = "i") -> str:
    """Return an SQL expression for a public id with a number: `pay_0…01000000007`."""
    return f"'{prefix}_{'0' * 20}' || ({number})"


def copy_row(
    row: "Model", changes: Mapping[str, str], *, count: int, first: int = FIRST_NUMBER
) -> None:
    """Insert `count` copies; `changes` are SQL expressions by column, where `i` is the number."""
    from django.db import connection, transaction

    columns = [str(field.column) for field in row._meta.concrete_fields]
    changed = [column for column in columns if column in changes or not _is_counted(row, column)]
    values = [changes.get(column, f"template.{column}") for column in changed]
    table = row._meta.db_table
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute(
            f"""
            WITH RECURSIVE numbers(i) AS (
                SELECT CAST({first} AS bigint)
                UNION ALL SELECT i + 1 FROM numbers WHERE i < {first + count - 1}
            )
            INSERT INTO {table} ({", ".join(changed)})
            SELECT {", ".join(values)} FROM numbers, {table} AS template
            WHERE template.{row._meta.pk.column} = '{row.pk}'
            """  # noqa: S608  # no part of it comes from outside
        )


def _is_counted(row: "Model", column: str) -> bool:
    """Return whether the database assigns this column's numbers."""
    from django.db.models import AutoField

    return isinstance(row._meta.pk, AutoField) and row._meta.pk.column == column
