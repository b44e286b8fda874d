"""The triggers that migrations create, by name: one that is missing or disabled is reported."""

from collections.abc import Iterator

from core.append_only import missing_triggers

TRIGGERS = {
    "postgresql": (
        "account_identity",
        "account_kept",
        "checkpoint_append_only",
        "leaf_append_only",
        "seal_append_only",
        "subtree_append_only",
        "transfer_append_only",
        "transfer_fits_accounts",
        "unsealed_unchanged",
        "unsealed_until_sealed",
    ),
    "sqlite": (
        "account_identity",
        "account_no_delete",
        "account_no_replace",
        "checkpoint_append_only_delete",
        "checkpoint_append_only_update",
        "leaf_append_only_delete",
        "leaf_append_only_update",
        "seal_no_delete",
        "seal_no_replace",
        "seal_no_update",
        "subtree_append_only_delete",
        "subtree_append_only_update",
        "transfer_fits_accounts",
        "transfer_no_delete",
        "transfer_no_replace",
        "transfer_no_update",
        "unsealed_no_replace",
        "unsealed_no_update",
        "unsealed_until_sealed",
    ),
}


def check_triggers() -> Iterator[str]:
    """Report every trigger of the ledger that does not guard its table."""
    yield from missing_triggers("ledger", TRIGGERS)
