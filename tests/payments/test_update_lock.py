"""A change is written in the transaction that holds the row, or a second one would be lost."""

import pytest
from django.db import connection

from core.clock import utc_now
from merchants.callers import Caller
from payments.models import Payment
from payments.services import update_payment
from tests.factories import PaymentFactory


@pytest.mark.django_db(transaction=True)
def test_it_is_saved_while_the_row_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    payment = PaymentFactory.create()
    caller = Caller(payment.merchant, livemode=False, actor="tests")
    inside: list[bool] = []
    monkeypatch.setattr(Payment, "save", lambda *_, **__: inside.append(connection.in_atomic_block))

    update_payment(
        caller=caller, payment_id=payment.id, changes={"description": "Lamp"}, now=utc_now()
    )

    assert inside == [True]


@pytest.mark.django_db
def test_it_changes_the_one_that_was_named() -> None:
    first = PaymentFactory.create()
    PaymentFactory.create(merchant=first.merchant)
    caller = Caller(first.merchant, livemode=False, actor="tests")

    update_payment(caller=caller, payment_id=first.id, changes={"description": "A"}, now=utc_now())

    assert [row.pk for row in Payment.objects.filter(description="A")] == [first.pk]
