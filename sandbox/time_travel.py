"""A clock for tests, which moves a test merchant's deadlines closer.

Deadlines that lie ahead are moved; facts, such as when something was created or paid, stay as
they are. Live objects are never touched.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Model, QuerySet

from core.errors import ValidationFailed
from core.ids import is_id
from links.models import PaymentLink
from links.services import expire_link
from links.statuses import LinkStatus
from merchants.models import Merchant
from messages.models import Message, MessageStatus
from payments.expiry import expire_payment
from payments.models import Payment
from payments.statuses import EXPIRABLE, PaymentStatus
from payouts.models import Payout
from payouts.statuses import OUTGOING
from webhooks.models import Delivery

NEVER_EXPIRES = "never expires"


@transaction.atomic
def advance(*, merchant_id: str, by: timedelta) -> dict[str, int]:
    """Move the deadlines of a merchant's test objects closer; return how many of each.

    The periodic tasks do what is then due. Payouts move by whole days. Raises MerchantNotFound.
    """
    merchant = Merchant.objects.locked(merchant_id)
    counts = {
        name: rows.update(**{column: F(column) - by})
        for name, (rows, column) in _deadlines(merchant).items()
    }
    return counts | {"payouts": _advance_payouts(merchant, timedelta(days=by.days))}


@transaction.atomic
def expire_now(*, object_id: str, now: datetime) -> str:
    """Expire a test payment or link as if its time had come; return its new status.

    Raises PaymentNotFound or PaymentLinkNotFound for what is live or does not exist, the error of
    its status where it has ended, ValidationFailed where it has no end.
    """
    if is_id("link", object_id):
        link = PaymentLink.objects.filter(livemode=False).locked(object_id)
        _end_at(link, now)
        return expire_link(link_id=object_id, now=now).status
    payment = Payment.objects.filter(livemode=False).locked(object_id)
    if payment.is_counter:
        raise ValidationFailed(id=NEVER_EXPIRES)
    if payment.status not in EXPIRABLE:
        raise payment.refusal(now)
    _end_at(payment, now)
    return expire_payment(payment_id=object_id, now=now).status


def _deadlines(merchant: Merchant) -> dict[str, tuple[QuerySet[Model], str]]:
    """Return, by name, the rows that wait for an instant and the column that holds it."""
    payments = Payment.objects.filter(merchant=merchant, livemode=False)
    links = PaymentLink.objects.filter(merchant=merchant, livemode=False)
    emails = Message.objects.filter(livemode=False, about__in=payments.order_by().values("pk"))
    deliveries = Delivery.objects.pending().filter(
        webhook__merchant=merchant, webhook__livemode=False, lease_token=""
    )
    found: dict[str, tuple[QuerySet[Model], str]] = {
        "payments that expire": (payments.filter(status__in=EXPIRABLE), "expires_at"),
        "payments in processing": (
            payments.filter(status=PaymentStatus.PROCESSING, settles_at__isnull=False),
            "settles_at",
        ),
        "links": (links.filter(status=LinkStatus.ACTIVE), "expires_at"),
        "e-mails": (emails.filter(status=MessageStatus.PLANNED), "due_at"),
        "deliveries": (deliveries, "next_attempt_at"),
    }
    return {
        name: (rows.filter(**{f"{column}__isnull": False}), column)
        for name, (rows, column) in found.items()
    }


def _advance_payouts(merchant: Merchant, by: timedelta) -> int:
    payouts = Payout.objects.filter(merchant=merchant, livemode=False, status__in=OUTGOING)
    for payout in payouts.select_for_update():
        payout.send_date -= by
        payout.arrival_date -= by
        payout.save(update_fields=["send_date", "arrival_date"])
    return len(payouts)


def _end_at(row: Payment | PaymentLink, now: datetime) -> None:
    row.expires_at = now
    row.save(update_fields=["expires_at"])
