"""Totals of lists over all owners: what is folded into a sum is added to the total.

The database does it as the entry goes, whichever version of the service folds it.
"""

from typing import Any

from django.db import migrations, models

_KEY = "list, livemode, status, kind"
_ADD = f"INSERT INTO core_listtotal ({_KEY}, number)"
_TO_WHAT_IS_THERE = f"""
    ON CONFLICT ({_KEY})
    DO UPDATE SET number = core_listtotal.number + excluded.number
"""

# In one order for all, so that two who are at it never wait for each other.
POSTGRESQL = (
    f"""
    CREATE FUNCTION count_totals() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        {_ADD}
        SELECT {_KEY}, sum(change) FROM gone WHERE NOT is_sum
        GROUP BY {_KEY} ORDER BY {_KEY}
        {_TO_WHAT_IS_THERE};
        RETURN NULL;
    END $$
    """,  # noqa: S608  # our own names
    """
    CREATE TRIGGER count_totals AFTER DELETE ON core_countentry
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_totals()
    """,
)
SQLITE = (
    f"""
    CREATE TRIGGER count_totals AFTER DELETE ON core_countentry
    FOR EACH ROW WHEN NOT OLD.is_sum
    BEGIN
        {_ADD}
        VALUES (OLD.list, OLD.livemode, OLD.status, OLD.kind, OLD.change)
        {_TO_WHAT_IS_THERE};
    END
    """,
)


def _create(apps: Any, schema_editor: Any) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL if on_postgresql else SQLITE:
        schema_editor.execute(statement, params=None)


def _drop(apps: Any, schema_editor: Any) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    of_table = " ON core_countentry" if on_postgresql else ""
    schema_editor.execute(f"DROP TRIGGER count_totals{of_table}", params=None)
    if on_postgresql:
        schema_editor.execute("DROP FUNCTION count_totals()", params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0008_counts_by_day"),
    ]

    operations = [
        migrations.CreateModel(
            name="ListTotal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("list", models.CharField(max_length=16)),
                ("livemode", models.BooleanField()),
                ("status", models.CharField(max_length=16)),
                ("kind", models.CharField(max_length=40)),
                ("number", models.BigIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("list", "livemode", "status", "kind"), name="list_total_once"
                    )
                ],
            },
        ),
        migrations.RunPython(_create, _drop),
    ]
