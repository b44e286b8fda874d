"""Two amounts under one form's key at the same instant: each is the amount of its own payment."""

from collections.abc import Callable
from functools import partial

import pytest

from checkout.new_payments import form_key, start_at_counter, start_through_link
from core.clock import utc_now
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.models import Merchant
from payments.models import Payment
from payments.modes import PaymentMode
from tests.factories import PaymentFactory
from tests.races import held_up

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
Start = Callable[..., str]


def at_a_counter(merchant: Merchant) -> Start:
    counter = PaymentFactory(
        merchant=merchant, payment_mode=PaymentMode.STATIC_PAY, amount=None, expires_at=None
    )
    key = form_key(counter.id, now=utc_now())
    return partial(
        start_at_counter, counter_id=counter.id, key=key, ticket_id="", tip=0, now=utc_now()
    )


def through_a_link(merchant: Merchant) -> Start:
    caller, draft = Caller(merchant, livemode=False, actor="test"), LinkDraft(currency="BSD")
    link = create_link(caller=caller, draft=draft, now=utc_now())
    key = form_key(link.id, now=utc_now())
    return partial(start_through_link, link_id=link.id, key=key, now=utc_now())


@pytest.mark.parametrize("opened", [at_a_counter, through_a_link])
def test_the_second_amount_of_a_form_that_is_sent_twice_at_once_is_asked_for(
    merchant: Merchant, opened: Callable[[Merchant], Start]
) -> None:
    """It led to the payment of the first amount, which the customer had corrected."""
    start = opened(merchant)

    corrected = held_up(partial(start, amount=50_000), partial(start, amount=500))

    assert not isinstance(corrected, Exception), corrected
    assert Payment.objects.get(pk=corrected).amount == 500


@pytest.mark.parametrize("opened", [at_a_counter, through_a_link])
def test_one_amount_of_a_form_that_is_sent_twice_at_once_is_one_payment(
    merchant: Merchant, opened: Callable[[Merchant], Start]
) -> None:
    start = opened(merchant)

    again = held_up(partial(start, amount=500), partial(start, amount=500))

    assert not isinstance(again, Exception), again
    assert Payment.objects.filter(amount=500).get().id == again
