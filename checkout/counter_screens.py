"""The screen beside a till, for the merchant: what was just paid at this counter."""

import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, QuerySet, Sum
from django.utils.translation import gettext as _

from checkout.formats import last_digits
from core.errors import NotFound
from core.ids import new_id
from core.instants import start_of_day, today_in
from payments.counters import screen_token
from payments.models import Payment, Ticket
from payments.modes import LIFETIME
from payments.statuses import PaymentStatus
from payments.tickets import open_ticket

SHOWN = 30
_SALT = "checkout.ticket"
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class CounterSale:
    """One payment on the screen. `digits` are the last four of the payer's phone, if any."""

    id: str
    amount: int
    completed_at: datetime
    digits: str
    refund_words: str
    tip: int


@dataclass(frozen=True)
class CounterDay:
    """Today's totals at a counter: the number of payments, and sums in cents."""

    count: int
    amount: int
    tips: int
    refunded: int


def counter_of_screen(payment_id: str, token: str) -> Payment:
    """Return the counter whose screen has this token. Raises NotFound."""
    counter = Payment.objects.select_related("merchant").one(payment_id)
    expected = screen_token(counter)
    if not (counter.is_counter and hmac.compare_digest(expected.encode(), token.encode())):
        raise NotFound
    return counter


def sales_at(counter: Payment) -> list[CounterSale]:
    """Return what was paid last at a counter, newest first.

    A payment is paid within its lifetime or not at all: what was opened so long before the last
    ones was paid before them, and need not be read.
    """
    paid = Payment.objects.filter(static_payment=counter, status=PaymentStatus.COMPLETED)
    last = paid.order_by("-created_at", "-id").values_list("created_at", flat=True)[:SHOWN]
    if opened := list(last):
        paid = paid.filter(created_at__gte=opened[-1] - LIFETIME)
    newest = paid.select_related("customer").order_by("-completed_at", "-id")[:SHOWN]
    return [_sale(payment) for payment in newest]


def _sale(payment: Payment) -> CounterSale:
    assert payment.amount is not None  # noqa: S101  # a constraint: completed has all of these
    assert payment.completed_at is not None  # noqa: S101
    assert payment.customer is not None  # noqa: S101
    words = {"none": "", "partial": _("Partly refunded"), "full": _("Refunded")}
    return CounterSale(
        payment.id,
        payment.amount,
        payment.completed_at,
        last_digits(payment.customer.phone),
        words[payment.refund_status],
        payment.tip or 0,
    )


def day_at(counter: Payment, *, now: datetime) -> CounterDay:
    """Return what was paid at a counter since midnight, in the merchant's time zone."""
    zone = counter.merchant.time_zone
    midnight = start_of_day(today_in(zone, now), zone)
    paid = Payment.objects.filter(
        static_payment=counter,
        status=PaymentStatus.COMPLETED,
        created_at__gte=midnight - LIFETIME,  # to use the index: older ones had expired by midnight
        completed_at__gte=midnight,
    )
    sums = paid.aggregate(
        count=Count("pk"), amount=Sum("amount"), tips=Sum("tip"), refunded=Sum("amount_refunded")
    )
    return CounterDay(**{name: value or 0 for name, value in sums.items()})


def waiting_at(counter: Payment, *, now: datetime) -> QuerySet[Ticket]:
    """Return the open tickets of a counter, oldest first; `is_opened` if a phone has opened one."""
    opened = Payment.objects.filter(ticket=OuterRef("pk"))
    return Ticket.objects.open_at(counter.id, now).annotate(is_opened=Exists(opened))


def ticket_key(counter: Payment, *, now: datetime) -> str:
    """Return the hidden key of the cashier's form, which makes a double submit one ticket."""
    return signing.dumps([counter.id, new_id("tkt", now)], salt=_SALT)


def charge(
    *, counter: Payment, key: str, amount: int, items: list[dict[str, object]], now: datetime
) -> None:
    """Put a sum on the QR code, once per key. Raises as `open_ticket` does."""
    ticket_id = _ticket_in(key, counter, now)
    try:
        with transaction.atomic():
            open_ticket(
                counter_id=counter.id, ticket_id=ticket_id, amount=amount, items=items, now=now
            )
    except IntegrityError:
        if not Ticket.objects.filter(pk=ticket_id).exists():
            raise


def _ticket_in(key: str, counter: Payment, now: datetime) -> str:
    try:
        counter_id, ticket_id = signing.loads(key, salt=_SALT, max_age=_DAY)
    except (signing.BadSignature, ValueError):
        return new_id("tkt", now)
    return str(ticket_id) if counter_id == counter.id else new_id("tkt", now)
