"""A change is written in the transaction that holds the row, or a second one would be lost."""

from typing import Any

import pytest
from django.db import connection

from core.clock import utc_now
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.models import Merchant
from payments.models import Payment
from payments.services import update_payment
from tests.factories import MerchantFactory, PaymentFactory
from tests.payments.counter_sales import counter_of, ticket_on


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


@pytest.mark.django_db
def test_a_sale_is_locked_alone_without_link_ticket_or_counter(merchant: Merchant) -> None:
    caller = Caller(merchant, livemode=False, actor="tests")
    link = create_link(caller=caller, draft=LinkDraft(currency="BSD", amount=500), now=utc_now())
    counter = counter_of(merchant)
    of_counter: dict[str, Any] = {"payment_mode": "STATIC_PAY", "static_payment": counter}
    sale, typed = PaymentFactory(merchant=merchant), PaymentFactory(merchant=merchant, **of_counter)
    of_link = PaymentFactory(merchant=merchant, link=link)
    of_ticket = PaymentFactory(merchant=merchant, ticket=ticket_on(counter), **of_counter)

    payments = (sale, typed, of_link, of_ticket, counter)
    found = [Payment.objects.locked_alone(payment.pk) for payment in payments]

    assert found == [sale, typed, None, None, None]
    assert Payment.objects.locked_alone(sale.pk, caller) == sale
    stranger = Caller(MerchantFactory(), livemode=False, actor="tests")
    live = Caller(merchant, livemode=True, actor="tests")
    assert [Payment.objects.locked_alone(sale.pk, by) for by in (stranger, live)] == [None, None]
