"""The screen beside a till: what has just been paid at this counter, for the merchant's eyes."""

import hmac
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from core.errors import NotFound
from payments.counters import screen_token
from payments.models import Payment
from payments.statuses import PaymentStatus

SHOWN = 30


@dataclass(frozen=True)
class CounterSale:
    """One payment on the screen. `digits` are the last four of the payer's phone."""

    id: str
    amount: int
    completed_at: datetime
    digits: str
    refund_words: str


def counter_of_screen(payment_id: str, token: str) -> Payment:
    """Return the counter that this address shows. Raises NotFound."""
    if not hmac.compare_digest(screen_token(payment_id).encode(), token.encode()):
        raise NotFound
    counter = Payment.objects.select_related("merchant").one(payment_id)
    if not counter.is_counter:
        raise NotFound
    return counter


def sales_at(counter: Payment) -> list[CounterSale]:
    """Return what was paid last at a counter, newest first."""
    paid = Payment.objects.filter(static_payment=counter, status=PaymentStatus.COMPLETED)
    newest = paid.select_related("customer").order_by("-completed_at", "-id")[:SHOWN]
    return [_sale(payment) for payment in newest]


def _sale(payment: Payment) -> CounterSale:
    assert payment.amount is not None  # noqa: S101  # a constraint: completed has all of these
    assert payment.completed_at is not None  # noqa: S101
    assert payment.customer is not None  # noqa: S101
    words = {"none": "", "partial": _("Partly paid back"), "full": _("Paid back")}
    return CounterSale(
        payment.id,
        payment.amount,
        payment.completed_at,
        payment.customer.phone[-4:],
        words[payment.refund_status],
    )
