"""Counts of lists by day, month and year: what is folded into a sum is added to its periods.

The database does it as the entry goes, whichever version of the service folds it: the one before
knows nothing of days, and may run on these tables.
"""

from typing import Any

from django.db import migrations, models

import core.ids

_KEY = "owner, list, livemode, status, kind"
_ADD = f"INSERT INTO core_periodcount ({_KEY}, period, number)"
_TO_WHAT_IS_THERE = f"""
    ON CONFLICT ({_KEY}, period)
    DO UPDATE SET number = core_periodcount.number + excluded.number
"""

# In one order for all, so that two who are at it never wait for each other.
POSTGRESQL = (
    f"""
    CREATE FUNCTION count_periods() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        {_ADD}
        SELECT {_KEY}, left(day, length), sum(change)
        FROM gone, (VALUES (4), (7), (10)) AS periods (length)
        WHERE day IS NOT NULL
        GROUP BY {_KEY}, left(day, length) HAVING sum(change) <> 0
        ORDER BY {_KEY}, left(day, length)
        {_TO_WHAT_IS_THERE};
        RETURN NULL;
    END $$
    """,  # noqa: S608  # our own names
    """
    CREATE TRIGGER count_periods AFTER DELETE ON core_countentry
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_periods()
    """,
)
SQLITE = (
    f"""
    CREATE TRIGGER count_periods AFTER DELETE ON core_countentry
    FOR EACH ROW WHEN OLD.day IS NOT NULL
    BEGIN
        {_ADD}
        SELECT OLD.owner, OLD.list, OLD.livemode, OLD.status, OLD.kind,
            substr(OLD.day, 1, length), OLD.change
        FROM (SELECT 4 AS length UNION ALL SELECT 7 UNION ALL SELECT 10)
        WHERE true
        {_TO_WHAT_IS_THERE};
    END
    """,  # noqa: S608  # our own names
)


def _create(apps: Any, schema_editor: Any) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL if on_postgresql else SQLITE:
        schema_editor.execute(statement, params=None)


def _drop(apps: Any, schema_editor: Any) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    of_table = " ON core_countentry" if on_postgresql else ""
    schema_editor.execute(f"DROP TRIGGER count_periods{of_table}", params=None)
    if on_postgresql:
        schema_editor.execute("DROP FUNCTION count_periods()", params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0007_task_lease"),
    ]

    operations = [
        migrations.AddField(
            model_name="countentry",
            name="day",
            field=models.CharField(max_length=10, null=True),
        ),
        migrations.CreateModel(
            name="PeriodCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("list", models.CharField(max_length=16)),
                ("owner", core.ids.PublicIdField(max_length=40)),
                ("livemode", models.BooleanField()),
                ("status", models.CharField(max_length=16)),
                ("kind", models.CharField(max_length=40)),
                ("period", models.CharField(max_length=10)),
                ("number", models.BigIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("owner", "list", "livemode", "period", "status", "kind"),
                        name="period_count_once",
                    )
                ],
            },
        ),
        migrations.RunPython(_create, _drop),
    ]
