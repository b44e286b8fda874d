"""Notices to customers about top-ups and reversals, by text message and by e-mail."""

from datetime import datetime
from typing import cast

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from core.formats import money_and_code
from funding.models import TopUp
from funding.statuses import TopUpStatus
from messages import sms
from messages.models import Channel
from messages.planning import plan_message

TOP_UP = "top_up"
SUBJECT = gettext_noop("%(amount)s added to your %(service)s wallet")
ADDED = gettext_noop("%(amount)s was added to your %(service)s wallet. Receipt: %(receipt)s")
TAKEN_BACK = gettext_noop(
    "%(amount)s was taken back from your %(service)s wallet: it did not reach us, or was not for "
    "you. See: %(receipt)s"
)
TAKEN_BACK_SUBJECT = gettext_noop("%(amount)s taken back from your %(service)s wallet")
ADDED_AND_PAID = gettext_noop(
    "%(amount)s was added to your %(service)s wallet, and %(price)s paid to %(payee)s. "
    "Receipt: %(receipt)s"
)
ADDED_TOO_LATE = gettext_noop(
    "%(amount)s was added to your %(service)s wallet. The payment of %(price)s to %(payee)s had "
    "expired before it arrived. Receipt: %(receipt)s"
)
ADDED_BUT_OPEN = gettext_noop(
    "%(amount)s was added to your %(service)s wallet. %(price)s to %(payee)s is not paid yet. "
    "To pay: %(pay)s"
)


def plan_receipt(top_up: TopUp, *, now: datetime, says: str = ADDED) -> None:
    """Plan the receipt of a top-up, once, on every channel and in the customer's language.

    In test mode it goes to the merchant of the payment it was added for, if any. Customers whose
    data has been erased get none.
    """
    payment = top_up.payment
    values = {}
    if payment is not None:
        values = {
            "price": money_and_code(payment.sale_amount, payment.currency),
            "payee": sms.sanitized(payment.merchant.name),
            "pay": payment.url,
        }
    amount = cast("int", top_up.amount_received)
    _plan(top_up, SUBJECT, says, amount, key=top_up.pk, now=now, **values)


def plan_reversal(top_up: TopUp, *, now: datetime) -> None:
    """Plan the notice that money was taken back, in the same way as `plan_receipt`."""
    amount = cast("int", top_up.amount_reversed)
    key = f"{top_up.pk}:{TopUpStatus.REVERSED}"
    _plan(top_up, TAKEN_BACK_SUBJECT, TAKEN_BACK, amount, key=key, now=now)


def _plan(
    top_up: TopUp, title: str, says: str, amount: int, *, key: str, now: datetime, **more: str
) -> None:
    customer, payment = top_up.customer, top_up.payment
    if customer.erased_at is not None:
        return
    with translation.override(customer.language or settings.LANGUAGE_CODE):
        values = more | {
            "service": settings.SERVICE_NAME,
            "amount": money_and_code(amount, top_up.currency),
            "receipt": f"{settings.CHECKOUT_URL}/top-ups/{top_up.pk}",
        }
        text, subject = gettext(says) % values, gettext(title) % values
    for channel, recipient in ((Channel.SMS, customer.phone), (Channel.EMAIL, customer.email)):
        if recipient:
            plan_message(
                channel=channel,
                kind=TOP_UP,
                recipient=recipient,
                about=top_up.pk,
                merchant_id=payment.merchant_id if payment else "",
                livemode=top_up.livemode,
                language=customer.language,
                subject=subject if channel == Channel.EMAIL else "",
                text=text,
                key=f"{key}:{channel}",
                now=now,
            )
