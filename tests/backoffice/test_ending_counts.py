"""What is counted of a span of time, each outcome by its own instant."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings

from backoffice.interval_figures import count_delivered, count_ended
from merchants.models import Merchant
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.backoffice.rows import one_of_each, paid_payment
from tests.factories import PaymentFactory
from webhooks.models import Delivery, Webhook
from webhooks.statuses import DeliveryStatus

pytestmark = pytest.mark.django_db

START = datetime(2026, 3, 18, 12, tzinfo=UTC)
END = START + timedelta(hours=1)
MOMENT = timedelta(milliseconds=1)
SPAN: dict[str, Any] = {"start": START, "end": END}
TEST: dict[str, Any] = {"livemode": False, "currency": "BSD"}
NOTHING = dict.fromkeys(
    (
        *("completed_count", "completed_amount", "failed_count", "expired_count"),
        *("canceled_count", "none_count", "pin_count", "passkey_count"),
    ),
    0,
)


def paid(merchant: Merchant, amount: int, **values: Any) -> None:
    payment = paid_payment(merchant, amount)
    Payment.objects.filter(pk=payment.pk).update(**{"completed_at": START} | values)


def test_where_nothing_ended_each_count_is_zero(merchant: Merchant) -> None:
    PaymentFactory(merchant=merchant)

    assert count_ended(**TEST, **SPAN) == NOTHING


def test_what_was_paid_is_counted_by_the_proof_that_its_amount_required(merchant: Merchant) -> None:
    pin, passkey = settings.PIN_ABOVE, settings.PASSKEY_ABOVE
    for amount in (pin, pin + 1, passkey, passkey + 1):
        paid(merchant, amount)

    assert count_ended(**TEST, **SPAN) == NOTHING | {
        "completed_count": 4,
        "completed_amount": 2 * (pin + passkey + 1),
        "none_count": 1,
        "pin_count": 2,
        "passkey_count": 1,
    }


@pytest.mark.parametrize("outcome", ["failed", "expired", "canceled"])
def test_what_was_not_paid_is_counted_by_its_outcome(merchant: Merchant, outcome: str) -> None:
    for instant in (START - MOMENT, START, END - MOMENT, END):
        kind = {"status": PaymentStatus(outcome), f"{outcome}_at": instant}
        PaymentFactory(merchant=merchant, **kind)

    assert count_ended(**TEST, **SPAN) == NOTHING | {f"{outcome}_count": 2}


@pytest.mark.parametrize(
    "other",
    [
        {"completed_at": START - MOMENT},
        {"completed_at": END},
        {"currency": "USD"},
        {"livemode": True},
    ],
)
def test_what_is_of_another_span_currency_or_mode_is_not_counted(
    merchant: Merchant, other: dict[str, Any]
) -> None:
    paid(merchant, 100, **other)

    assert count_ended(**TEST, **SPAN) == NOTHING


def test_deliveries_are_counted_in_their_mode_once_they_have_arrived() -> None:
    one_of_each()
    Delivery.objects.update(status=DeliveryStatus.DELIVERED, next_attempt_at=None, ended_at=START)
    livemode = Webhook.objects.get().livemode

    assert count_delivered(livemode=livemode, **SPAN) == Delivery.objects.count() > 0
    assert count_delivered(livemode=not livemode, **SPAN) == 0
    assert count_delivered(livemode=livemode, start=END, end=END + MOMENT) == 0
    assert count_delivered(livemode=livemode, start=START - MOMENT, end=START) == 0
