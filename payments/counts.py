"""Kept counts of a merchant's payments: in total, by status, by payment mode."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet, Value

from core.counts import CountedList
from core.queries import Lookups
from merchants.scoping import Scope
from payments.models import Payment
from payments.statuses import EXPIRABLE, PaymentStatus

PAYMENTS = CountedList(
    name="payments",
    table="payments_payment",
    status="{row}.status",
    kind="{row}.payment_mode",
    filters={"status": "status", "payment_mode": "kind"},
    by_day=True,
    shown_otherwise=EXPIRABLE | {PaymentStatus.EXPIRED},
)


def total_of(caller: Scope, filters: Lookups, now: datetime | Value) -> QuerySet[Any, Any] | None:
    """Return the query for the total of a filtered list; None if the rows have to be counted.

    Kept counts go by the stored status. Overdue payments that the sweep has not expired yet, which
    are few, are counted as expired here.
    """
    payments = Payment.objects.visible_to(caller)
    parts = PAYMENTS.total_parts(
        payments, caller.merchant_id, filters, livemode=caller.livemode, now=now
    )
    if parts is None:
        return None
    status = filters.get("status")
    if status not in PAYMENTS.shown_otherwise:
        return parts.total()
    others = {name: value for name, value in filters.items() if name != "status"}
    overdue = payments.filter(**others).due_to_expire(now)
    if status == PaymentStatus.EXPIRED:
        return parts.total(plus=overdue)
    return parts.total(minus=overdue.filter(status=status))
