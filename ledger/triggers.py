"""The triggers that migrations create, by name: one that is missing or disabled is reported."""

from collections.abc import Iterator

from django.db import connection

TRIGGERS = {
    "postgresql": (
        "account_identity",
        "account_kept",
        "seal_append_only",
        "transfer_append_only",
        "transfer_fits_accounts",
        "unsealed_unchanged",
        "unsealed_until_sealed",
    ),
    "sqlite": (
        "account_identity",
        "account_no_delete",
        "account_no_replace",
        "seal_no_delete",
        "seal_no_replace",
        "seal_no_update",
        "transfer_fits_accounts",
        "transfer_no_delete",
        "transfer_no_replace",
        "transfer_no_update",
        "unsealed_no_replace",
        "unsealed_no_update",
        "unsealed_until_sealed",
    ),
}
ACTIVE = {
    "postgresql": """
        SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relname LIKE 'ledger%' AND NOT tgisinternal AND tgenabled IN ('O', 'A')
    """,
    "sqlite": """
        SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'ledger%'
    """,
}


def check_triggers() -> Iterator[str]:
    """Report every trigger of the ledger that does not guard its table."""
    with connection.cursor() as cursor:
        cursor.execute(ACTIVE[connection.vendor])
        active = {name for (name,) in cursor.fetchall()}
    for name in TRIGGERS[connection.vendor]:
        if name not in active:
            yield f"Trigger {name} is missing or switched off."
