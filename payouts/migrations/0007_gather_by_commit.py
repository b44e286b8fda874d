"""From which id on an account's movements are gathered follows what is committed, not a clock.

Where a clock that was slow had gathering pass over a transfer, it starts again from there.
"""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_PASSED_OVER = """
    SELECT MIN(id) - 1 FROM (
        SELECT MIN(id) AS id FROM ledger_transfer
        WHERE credit_account_id = payouts_statement.account_id AND id <= gathered_through
        AND NOT EXISTS (SELECT 1 FROM payouts_statementline WHERE transfer_id = ledger_transfer.id)
        UNION ALL
        SELECT MIN(id) AS id FROM ledger_transfer
        WHERE debit_account_id = payouts_statement.account_id AND id <= gathered_through
        AND NOT EXISTS (SELECT 1 FROM payouts_statementline WHERE transfer_id = ledger_transfer.id)
    ) AS passed_over
"""
_LOOK_AGAIN = f"""
    UPDATE payouts_statement SET gathered_through = COALESCE(({_PASSED_OVER}), gathered_through)
    WHERE number = (
        SELECT MAX(number) FROM payouts_statement AS each
        WHERE each.account_id = payouts_statement.account_id
    )
"""  # noqa: S608  # our own names


def look_again(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET LOCAL statement_timeout = 0", params=None)
    schema_editor.execute(_LOOK_AGAIN, params=None)


class Migration(migrations.Migration):
    dependencies = [("ledger", "0004_payout_reversed"), ("payouts", "0006_bank_credits")]

    operations = [
        migrations.AddField("statement", "horizon_transfer", models.BigIntegerField(null=True)),
        migrations.AddField("statement", "horizon_transaction", models.BigIntegerField(null=True)),
        migrations.RunPython(look_again, migrations.RunPython.noop, elidable=True),
    ]
