"""The screen beside a till: what has just been paid at this counter, for the merchant's eyes.

Its address is a secret of its own: the counter's own address is printed on the poster. The secret
is computed, not stored; a counter whose screen has got into wrong hands is replaced by a new one.
"""

import hmac
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from core.errors import NotFound
from core.ids import base62
from payments.models import Payment
from payments.statuses import PaymentStatus

SHOWN = 30
TOKEN_CHARACTERS = 43
_SALT = "checkout.counter"


@dataclass(frozen=True)
class Sale:
    """One payment on the screen. `digits` are the last four of the payer's phone."""

    id: str
    amount: int
    completed_at: datetime
    digits: str
    refund_words: str


def screen_token(counter_id: str) -> str:
    """Return the secret part of the address of a counter's screen."""
    digest = salted_hmac(_SALT, counter_id, algorithm="sha256").digest()
    return base62(int.from_bytes(digest), TOKEN_CHARACTERS)


def screen_url(counter_id: str) -> str:
    """Return the address of a counter's screen, for its merchant only."""
    return f"{settings.CHECKOUT_URL}/counter/{counter_id}/{screen_token(counter_id)}"


def counter_of_screen(payment_id: str, token: str) -> Payment:
    """Return the counter that this address shows. Raises NotFound."""
    if not hmac.compare_digest(screen_token(payment_id), token):
        raise NotFound
    counter = Payment.objects.select_related("merchant").one(payment_id)
    if not counter.is_counter:
        raise NotFound
    return counter


def sales_at(counter: Payment) -> list[Sale]:
    """Return what was paid last at a counter, newest first."""
    paid = Payment.objects.filter(static_payment=counter, status=PaymentStatus.COMPLETED)
    newest = paid.select_related("customer").order_by("-completed_at", "-id")[:SHOWN]
    return [_sale(payment) for payment in newest]


def _sale(payment: Payment) -> Sale:
    assert payment.amount is not None  # noqa: S101  # a constraint: completed has all of these
    assert payment.completed_at is not None  # noqa: S101
    assert payment.customer is not None  # noqa: S101
    words = {"none": "", "partial": _("Partly paid back"), "full": _("Paid back")}
    return Sale(
        payment.id,
        payment.amount,
        payment.completed_at,
        payment.customer.phone[-4:],
        words[payment.refund_status],
    )
