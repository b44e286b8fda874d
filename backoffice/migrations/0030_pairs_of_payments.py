"""Lists of payments: the pairs of a merchant's are found without those of others.

It is here because what is not merged into an index yet is limited by a migration of this app, which
names the index that goes.
"""

from typing import Any

from django.db import migrations

from core.column_statistics import KeepStatistics
from core.schema import CreateSearchIndexOnline, DropIndexOnline

OWNED_PAIRS = "jsonb_set('{}', ARRAY[merchant_id::text], metadata)"


class _DropPairs(DropIndexOnline):
    """Drop the index of all pairs, and create it again on the way back."""

    def __init__(self) -> None:
        super().__init__("payment_metadata")

    def database_backwards(self, *state: Any) -> None:
        on = "payments_payment USING gin (metadata jsonb_path_ops)"
        CreateSearchIndexOnline(self.name, on).database_forwards(*state)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("backoffice", "0029_key_endings"), ("payments", "0014_sellable_products")]

    operations = [
        CreateSearchIndexOnline(
            "payment_owned_pairs",
            f"payments_payment USING gin (({OWNED_PAIRS}) jsonb_path_ops)"
            " WITH (gin_pending_list_limit = 128) WHERE NOT (metadata = '{}')",
        ),
        KeepStatistics("payment_owned_pairs_known", "payments_payment", OWNED_PAIRS),
        _DropPairs(),
    ]
