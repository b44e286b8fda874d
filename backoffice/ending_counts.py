"""What ended in a span of time: payments in each way, and deliveries that arrived."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum, Value

from payments.models import Payment
from webhooks.models import Delivery
from webhooks.statuses import DeliveryStatus

# How a payment can end, and the instant that says so: once set, it never changes.
ENDINGS = {
    "completed": "completed_at",
    "failed": "failed_at",
    "expired": "expired_at",
    "canceled": "canceled_at",
}


def count_ended(*, livemode: bool, currency: str, start: datetime, end: datetime) -> dict[str, int]:
    """Count what ended from `start` on and before `end`, each outcome by its own index.

    Returns `…_count` of each, `completed_amount` in cents, and how many paid payments required
    which proof (`none_count`, `pin_count`, `passkey_count`).
    """
    rows = Payment.objects.filter(livemode=livemode, currency=currency)
    found = {
        name: rows.filter(**{f"{field}__gte": start, f"{field}__lt": end})
        for name, field in ENDINGS.items()
    }
    none, pin = settings.PIN_ABOVE, settings.PASSKEY_ABOVE
    paid = found.pop("completed").aggregate(
        completed_count=Count("pk"),
        completed_amount=Sum("amount"),
        none_count=Count("pk", filter=Q(amount__lte=none)),
        pin_count=Count("pk", filter=Q(amount__gt=none, amount__lte=pin)),
        passkey_count=Count("pk", filter=Q(amount__gt=pin)),
    )
    counts = {name: int(value or 0) for name, value in paid.items()}
    return counts | _counts(found)


def _counts(found: Mapping[str, QuerySet[Payment]]) -> dict[str, int]:
    """Count each of these in one statement, by the index of each; the keys end in `_count`.

    Nothing is grouped by a constant, so that there is a count of each, also of none.
    """
    first, *others = (
        rows.order_by()
        .annotate(outcome=Value(f"{name}_count"))
        .values("outcome")
        .annotate(count=Count("pk"))
        for name, rows in found.items()
    )
    return dict(first.union(*others, all=True).values_list("outcome", "count"))


def count_delivered(*, livemode: bool, start: datetime, end: datetime) -> int:
    """Count the deliveries that arrived from `start` on and before `end`."""
    ended = Delivery.objects.filter(ended_at__gte=start, ended_at__lt=end)
    return ended.filter(webhook__livemode=livemode, status=DeliveryStatus.DELIVERED).count()


def currencies_ended(*, livemode: bool) -> list[str]:
    """Return the currencies in which payments ended: by a look at an index for each."""
    return sorted({code for field in ENDINGS.values() for code in _currencies(livemode, field)})


def _currencies(livemode: bool, field: str) -> Iterator[str]:
    ended = Payment.objects.filter(livemode=livemode, **{f"{field}__isnull": False})
    codes = ended.order_by("currency").values_list("currency", flat=True)
    code = codes.first()
    while code is not None:
        yield code
        code = codes.filter(currency__gt=code).first()
