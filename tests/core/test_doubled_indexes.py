"""No row that is written with each sale, message or sign-in has an entry that nothing reads."""

import pytest
from django.db import connection
from django.db.models import Model

from core.models import CountEntry, IdempotencyKey, Quota
from customers.challenge_rows import PasskeyChallenge
from customers.models import CustomerSession, SignInCode
from funding.models import TopUp
from ledger.models import Seal, Transfer, UnsealedTransfer
from messages.models import Message
from payments.models import Payment, PaymentTransition
from refunds.models import Refund
from webhooks.event_models import Event, FeedEntry
from webhooks.models import Attempt, Delivery

WRITTEN_OFTEN = (
    *(CountEntry, IdempotencyKey, Quota),
    *(PasskeyChallenge, CustomerSession, SignInCode, TopUp, Message),
    *(Transfer, UnsealedTransfer, Seal),
    *(Payment, PaymentTransition, Refund),
    *(Event, FeedEntry, Delivery, Attempt),
)
# What begins with all columns of another serves what the other does, with or without a LIKE.
DOUBLED = """
    SELECT short.indexrelid::regclass::text FROM pg_index AS short
    JOIN pg_index AS long USING (indrelid)
    WHERE indrelid = %s::regclass AND short.indexrelid <> long.indexrelid
    AND NOT short.indisunique AND short.indexprs IS NULL AND long.indexprs IS NULL
    AND long.indkey::text || ' ' LIKE short.indkey::text || ' %%'
    AND coalesce(pg_get_expr(long.indpred, indrelid), '')
        = coalesce(pg_get_expr(short.indpred, indrelid), '')
    AND (SELECT amname FROM pg_class JOIN pg_am ON pg_am.oid = relam
         WHERE pg_class.oid = short.indexrelid) = 'btree'
"""


@pytest.mark.django_db
@pytest.mark.postgres
@pytest.mark.parametrize("model", WRITTEN_OFTEN)
def test_no_index_is_the_beginning_of_another(model: type[Model]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(DOUBLED, [model._meta.db_table])
        doubled = [name for (name,) in cursor.fetchall()]

    assert doubled == []
