"""Lists of payments: the words of a merchant's are found without those of others.

It is here because what is not merged into an index yet is limited by a migration of this app, which
names the index that goes.
"""

from typing import Any

from django.db import migrations

from core.schema import CreateSearchIndexOnline, DropIndexOnline


class _DropSearchIndex(DropIndexOnline):
    """Drop an index, and create it again on the way back: an earlier migration names it."""

    def __init__(self, name: str, on: str) -> None:
        super().__init__(name)
        self._again = CreateSearchIndexOnline(name, on)

    def database_backwards(self, *state: Any) -> None:
        self._again.database_forwards(*state)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("backoffice", "0024_failed_deliveries"),
        ("payments", "0012_counts_by_day"),
    ]

    operations = [
        CreateSearchIndexOnline(
            "payment_owned_words",
            "payments_payment USING gin"
            " ((to_tsvector('simple'::regconfig, regexp_replace(lower(normalize("
            "coalesce(description, '') || ' ' || coalesce(order_id, '')"
            " || ' ' || coalesce(invoice_number, '') || ' ' || coalesce(reference, '')"
            ")), '[^[:alnum:]]+', ' ', 'g')) || array_to_tsvector(ARRAY['@' || merchant_id])))"
            " WITH (gin_pending_list_limit = 128)",
        ),
        _DropSearchIndex(
            "payment_composed_words",
            "payments_payment USING gin"
            " ((to_tsvector('simple'::regconfig, regexp_replace(lower(normalize("
            "coalesce(description, '') || ' ' || coalesce(order_id, '')"
            " || ' ' || coalesce(invoice_number, '') || ' ' || coalesce(reference, '')"
            ")), '[^[:alnum:]]+', ' ', 'g'))))",
        ),
    ]
