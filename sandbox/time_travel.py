"""A test clock: advances time for a merchant's test objects by moving their deadlines closer.

Future deadlines are moved, at most to now; facts, such as when something was created or paid, stay
as they are. So no deadline precedes the fact it follows from. Live objects are never touched.
"""

from collections import defaultdict
from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import F, Model, QuerySet

from core.among import Among
from core.errors import ValidationFailed
from core.ids import is_id
from core.instants import today_in
from links.models import PaymentLink
from links.services import expire_link
from links.statuses import LinkStatus
from merchants.callers import Caller
from merchants.models import Merchant
from messages.models import Message, MessageStatus
from payments.expiry import expire_early
from payments.models import Payment
from payments.statuses import EXPIRABLE, PaymentStatus
from payouts.models import Payout
from payouts.statuses import OUTGOING, PayoutStatus
from webhooks.models import Delivery

NEVER_EXPIRES = "never expires"


@transaction.atomic
def advance(*, merchant_id: str, by: timedelta, now: datetime) -> dict[str, int]:
    """Move the deadlines of a merchant's test objects closer; return how many of each kind.

    The periodic tasks then do what has become due. Payouts and due dates move by whole days.
    Raises MerchantNotFound.
    """
    merchant = Merchant.objects.locked(merchant_id)
    counts = {
        name: _move(rows, column, by, now) for name, (rows, column) in _deadlines(merchant).items()
    }
    _advance_due_dates(merchant)
    today = today_in(merchant.time_zone, now)
    return counts | {"payouts": _advance_payouts(merchant, timedelta(days=by.days), today)}


def expire_now(*, caller: Caller, object_id: str, now: datetime) -> str:
    """Expire the test payment or link with this id; return its new status.

    Raises as `expire_payment_now` and `expire_link_now` do.
    """
    expire = expire_link_now if is_id("link", object_id) else expire_payment_now
    return expire(caller=caller, object_id=object_id, now=now)


@transaction.atomic
def expire_link_now(*, caller: Caller, object_id: str, now: datetime) -> str:
    """Expire a test link as if its time had come; return its new status.

    Raises PaymentLinkNotFound if it is live or not the caller's, or the error of its status.
    """
    link = PaymentLink.objects.visible_to(caller).filter(livemode=False).locked(object_id)
    link.refuse_ended(now)
    link.expires_at = now
    link.save(update_fields=["expires_at"])
    return expire_link(link_id=object_id, now=now).status


@transaction.atomic
def expire_payment_now(*, caller: Caller, object_id: str, now: datetime) -> str:
    """Expire a test payment as if its time had come; return its new status.

    Raises PaymentNotFound if it is live or not the caller's, the error of its status if it has
    ended, and ValidationFailed for a counter, which never expires.
    """
    payment = Payment.objects.visible_to(caller).filter(livemode=False).locked(object_id)
    if payment.is_counter:
        raise ValidationFailed(id=NEVER_EXPIRES)
    if payment.status not in EXPIRABLE:
        raise payment.refusal(now)
    return expire_early(payment_id=object_id, now=now).status


def _deadlines(merchant: Merchant) -> dict[str, tuple[QuerySet[Model], str]]:
    """Return, by name, the rows with a deadline and the column that holds it."""
    payments = Payment.objects.filter(merchant=merchant, livemode=False)
    links = PaymentLink.objects.filter(merchant=merchant, livemode=False)
    emails = Message.objects.filter(livemode=False, about__in=payments.order_by().values("pk"))
    deliveries = Delivery.objects.pending().filter(
        webhook__merchant=merchant, webhook__livemode=False, lease_token=""
    )
    found: dict[str, tuple[QuerySet[Model], str]] = {
        "payments": (payments.filter(status__in=EXPIRABLE), "expires_at"),
        "processing_payments": (
            payments.filter(status=PaymentStatus.PROCESSING, settles_at__isnull=False),
            "settles_at",
        ),
        "payment_links": (links.filter(status=LinkStatus.ACTIVE), "expires_at"),
        "emails": (emails.filter(status=MessageStatus.PLANNED), "due_at"),
        "deliveries": (deliveries, "next_attempt_at"),
    }
    return {
        name: (rows.filter(**{f"{column}__isnull": False}), column)
        for name, (rows, column) in found.items()
    }


def _move(rows: QuerySet[Model], column: str, by: timedelta, now: datetime) -> int:
    """Move future deadlines closer, at most to now. Those already due stay as they are."""
    ahead = {f"{column}__gt": now}
    near = rows.filter(**ahead, **{f"{column}__lte": now + by}).update(**{column: now})
    return near + rows.filter(**ahead).update(**{column: F(column) - by})


def _advance_due_dates(merchant: Merchant) -> None:
    """Let the due dates of invoices be the last days on which they can be paid.

    A statement for each day, not for each invoice: there may be thousands.
    """
    invoices = Payment.objects.filter(
        merchant=merchant, livemode=False, status__in=EXPIRABLE, due_date__isnull=False
    )
    moved: dict[date, list[str]] = defaultdict(list)
    known = invoices.filter(expires_at__isnull=False).values_list("pk", "due_date", "expires_at")
    for payment_id, due_date, expires_at in known:
        assert expires_at is not None  # noqa: S101  # as filtered
        day = today_in(merchant.time_zone, expires_at - timedelta(milliseconds=1))
        if day != due_date:
            moved[day].append(payment_id)
    for day, ids in moved.items():
        Payment.objects.filter(Among(F("id"), ids)).update(due_date=day)


def _advance_payouts(merchant: Merchant, by: timedelta, today: date) -> int:
    payouts = Payout.objects.filter(merchant=merchant, livemode=False, status__in=OUTGOING)
    for payout in payouts.select_for_update():
        takes = payout.arrival_date - payout.send_date
        payout.send_date = _nearer(payout.send_date, by, today)
        is_here = payout.status == PayoutStatus.SCHEDULED
        soonest = payout.send_date + takes if is_here else today
        payout.arrival_date = _nearer(payout.arrival_date, by, soonest)
        payout.save(update_fields=["send_date", "arrival_date"])
    return len(payouts)


def _nearer(day: date, by: timedelta, soonest: date) -> date:
    return min(day, max(day - by, soonest))
