"""Which postings the server prepares one statement for."""

import pytest
from django.db import connection

from ledger.models import Purpose, TransferKind
from ledger.services import Movement, post_transfers
from tests.lasting_statements import forget_prepared
from tests.ledger.funding import NOW, opened

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


def test_large_amounts_are_posted_by_the_statement_prepared_for_small_ones() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=1_000_000), opened(Purpose.MERCHANT)
    forget_prepared()

    for number in range(12):
        amount = 1 if number < 6 else 40_000
        movement = Movement(
            kind=TransferKind.PAYMENT,
            reference=f"pay_{number}",
            debit=wallet,
            credit=merchant,
            amount=amount,
        )
        post_transfers(transaction_id=f"txn_{number}", movements=[movement], now=NOW)

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), string_agg(parameter_types::text, ' ') FROM pg_prepared_statements"
            " WHERE statement LIKE 'WITH covered%' GROUP BY statement"
        )
        prepared = cursor.fetchall()
    assert {count for count, _ in prepared} == {1}
    for _, types in prepared:
        assert "smallint" not in types, "an account's key outgrows it, too"
