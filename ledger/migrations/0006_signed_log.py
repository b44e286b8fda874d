"""Sign transfers from here on; make the log that every signed row enters."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import core.signatures
from core.append_only import sqlite_refusal
from ledger.log_triggers import FUNCTION

TABLES = {
    "leaf_append_only": "ledger_logleaf",
    "subtree_append_only": "ledger_logsubtree",
    "checkpoint_append_only": "ledger_checkpoint",
}
EVENTS = ("update", "delete")


def protect(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    if on_postgresql:
        schema_editor.execute(FUNCTION, params=None)
    for name, table in TABLES.items():
        if on_postgresql:
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}"
                " EXECUTE FUNCTION ledger_refuse()",
                params=None,
            )
            continue
        for event in EVENTS:
            refusal = sqlite_refusal(
                f"{name}_{event}", event, table, condition="1", advice="the log only grows"
            )
            schema_editor.execute(refusal, params=None)


def unprotect(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for name, table in TABLES.items():
        if on_postgresql:
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}", params=None)
            continue
        for event in EVENTS:
            schema_editor.execute(f"DROP TRIGGER {name}_{event}", params=None)
    if on_postgresql:
        schema_editor.execute("DROP FUNCTION ledger_log()", params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0005_account_history"),
    ]

    operations = [
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                ("size", models.BigIntegerField(primary_key=True, serialize=False)),
                ("root", models.BinaryField()),
                ("note", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="WitnessState",
            fields=[
                ("address", models.CharField(max_length=255, primary_key=True, serialize=False)),
                ("size", models.BigIntegerField(default=0)),
                ("confirmed_at", models.DateTimeField(null=True)),
                ("problem", models.CharField(blank=True, default="", max_length=255)),
            ],
        ),
        migrations.AddField(
            model_name="transfer",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        migrations.CreateModel(
            name="LogLeaf",
            fields=[
                ("index", models.BigIntegerField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=64)),
                ("subject", models.CharField(max_length=64)),
                ("signature", models.CharField(max_length=64)),
                ("hash", models.BinaryField()),
                ("logged_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["subject", "kind", "index"], name="log_leaf_subject")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("index__gte", 0)), name="log_leaf_index"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LogSubtree",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("tier", models.PositiveSmallIntegerField()),
                ("position", models.BigIntegerField()),
                ("hash", models.BinaryField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tier", "position"), name="log_subtree_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="WaitingEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=64)),
                ("subject", models.CharField(max_length=64)),
                ("signature", models.CharField(max_length=64)),
            ],
            options={
                "indexes": [models.Index(fields=["kind", "subject"], name="waiting_entry_subject")],
            },
        ),
        migrations.RunPython(protect, unprotect),
    ]
