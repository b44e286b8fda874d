"""What needs attention: how many there are, and how old the oldest is."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import User
from django.db.models import Exists, IntegerField, Model, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.text import slugify

from backoffice.formats import age
from backoffice.models import Instruction
from backoffice.resource.catalog import CATALOG
from backoffice.resource.filters import Choices, OfficeFilter, Rows
from backoffice.resource.page_urls import list_of
from backoffice.staff import Staff
from core.clock import request_now
from merchants.models import Merchant, MerchantChange
from merchants.statuses import MerchantStatus
from messages.models import Message
from payments.models import Payment
from payments.statuses import PaymentStatus
from payouts.models import BankAccount, BankEntry, Payout
from payouts.statuses import ENDED_UNPAID, STAYED
from refunds.models import Inquiry, Refund
from refunds.statuses import RefundStatus
from webhooks.models import Delivery, Webhook
from webhooks.statuses import DeliveryStatus, DisabledReason

COUNTED = 100
STUCK = timedelta(minutes=5)
RECENT = timedelta(days=7)
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Queue:
    """Rows of a model that have waited since `since`; `narrowed` filters them out of all rows.

    `mode` is the path to the mode of a row; empty if a row belongs to both.
    """

    title: str
    model: type[Model]
    since: str
    narrowed: Callable[[Any, datetime], Rows]
    mode: str = "livemode"

    @property
    def name(self) -> str:
        return slugify(self.title)

    def rows(self, *, livemode: bool, now: datetime) -> Rows:
        """Return the rows of a mode: those of the list at `url`."""
        rows: Rows = self.model._default_manager.all()
        return self.narrowed(rows.filter(**{self.mode: livemode}) if self.mode else rows, now)

    def rows_seen(self, staff: Staff, *, livemode: bool, now: datetime) -> Rows:
        """Return those of `rows` that a member of staff may see."""
        rows: Rows = CATALOG[self.model].rows_seen(self.rows(livemode=livemode, now=now), staff)
        return rows

    def url(self, *, livemode: bool) -> str:
        mode = {"mode": "live" if livemode else "test"} if self.mode else {}
        return list_of(self.model, queue=self.name, **mode)


@dataclass(frozen=True)
class AttentionQueue:
    """A number, a name, and the list behind it. `count` stops at a hundred."""

    title: str
    count: int
    oldest: str
    url: str

    @property
    def counted(self) -> str:
        return f"{COUNTED}+" if self.count > COUNTED else str(self.count)


class QueueFilter(OfficeFilter):
    """The rows of a list that wait for someone: those that the dashboard counts."""

    title = "waiting"
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> Choices:
        return [(queue.name, queue.title) for queue in queues_in(self.model)]

    def narrowed(self, rows: Rows, value: str) -> Rows:
        [chosen] = [queue for queue in queues_in(rows.model) if queue.name == value]
        return chosen.narrowed(rows, request_now())


def queues_in(model: type[Model]) -> list[Queue]:
    return [queue for queue in QUEUES if queue.model is model]


class _CountOf(Subquery):
    """The number of rows of a query, as a column: one statement counts several tables."""

    template = "(SELECT count(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()


def queues_of(staff: Staff, *, livemode: bool, now: datetime) -> list[AttentionQueue]:
    """Return the queues that this member of staff can see and that are not empty."""
    seen = {
        queue.name: (queue, queue.rows_seen(staff, livemode=livemode, now=now))
        for queue in QUEUES
        if staff.may(CATALOG[queue.model].right)
    }
    columns = {
        name: _CountOf(rows.order_by().values("pk")[: COUNTED + 1])
        for name, (_, rows) in seen.items()
    }
    one_row: Any = User.objects.filter(pk=staff.user_id)
    counts = one_row.values(**columns).get() if seen else {}
    return [
        AttentionQueue(
            queue.title, counts[name], _oldest(rows, queue.since, now), queue.url(livemode=livemode)
        )
        for name, (queue, rows) in seen.items()
        if counts[name]
    ]


def _oldest(rows: Rows, since: str, now: datetime) -> str:
    first = rows.order_by(since).values_list(since, flat=True).first()
    return age(first, now) if first else ""


def _stuck(rows: Rows, now: datetime) -> Rows:
    return rows.filter(status=PaymentStatus.PROCESSING, updated_at__lt=now - STUCK)


def failed_lately(now: datetime) -> dict[str, Any]:
    """Return the look-ups of deliveries that have failed for good lately."""
    return {"status__in": [DeliveryStatus.FAILED.value], "ended_at__gte": now - RECENT}


def _exhausted(rows: Rows, now: datetime) -> Rows:
    return rows.filter(**failed_lately(now))


def _switched_off(rows: Rows, now: datetime) -> Rows:
    by_itself = (DisabledReason.GONE, DisabledReason.FAILING)
    return rows.filter(deleted_at=None, disabled_reason__in=by_itself)


def _failed(rows: Rows, now: datetime) -> Rows:
    """Recent failures whose payment has not been refunded again since."""
    of_payment = Refund.objects.filter(payment=OuterRef("payment"))
    again = of_payment.filter(created_at__gt=OuterRef("failed_at"))
    lately = rows.filter(failed_at__gte=now - RECENT)
    return lately.exclude(Exists(again.exclude(status=RefundStatus.FAILED)))


def _unpaid(rows: Rows, now: datetime) -> Rows:
    """Recent failures and returns whose money may still be in the merchant's balance.

    It has left once a later payout leaves less behind than can be paid out.
    """
    since = Payout.objects.exclude(pk=OuterRef("pk")).exclude(status__in=STAYED)
    emptied = since.filter(
        **{name: OuterRef(name) for name in ("merchant", "livemode", "currency")},
        created_at__gte=Coalesce(OuterRef("failed_at"), OuterRef("returned_at")),
        statement__closing_amount__lt=settings.PAYOUT_MINIMUM,
    )
    lately = rows.filter(status__in=sorted(ENDED_UNPAID), updated_at__gte=now - RECENT)
    return lately.exclude(Exists(emptied))


def _unsent(rows: Any, now: datetime) -> Any:
    return rows.filter(due_at__gte=now - RECENT).unsent(now)


def _unverified(rows: Rows, now: datetime) -> Rows:
    return rows.filter(status=MerchantStatus.UNVERIFIED)


def _with_change(rows: Rows, now: datetime) -> Any:
    pending = MerchantChange.objects.pending()
    since = pending.filter(merchant=OuterRef("pk")).values("created_at")[:1]
    waiting = rows.filter(pk__in=pending.values("merchant"))
    return waiting.annotate(waits_since=Subquery(since))


# What to look at first stands first.
QUEUES = (
    Queue("Approvals waiting", Instruction, "asked_at", lambda rows, now: rows.waiting(now)),
    Queue("Payments stuck in processing", Payment, "updated_at", _stuck),
    Queue("Customers waiting for an answer", Inquiry, "open_since", lambda rows, now: rows.open()),
    Queue("Endpoints failing", Webhook, "failing_since", lambda rows, now: rows.failing()),
    Queue("Webhook deliveries failed", Delivery, "ended_at", _exhausted, mode="webhook__livemode"),
    Queue("Endpoints switched off", Webhook, "updated_at", _switched_off),
    Queue("Refunds waiting for money", Refund, "created_at", lambda rows, now: rows.pending()),
    Queue("Refunds failed", Refund, "failed_at", _failed),
    Queue("Payouts overdue", Payout, "updated_at", lambda rows, now: rows.overdue(now)),
    Queue("Payouts failed or returned", Payout, "updated_at", _unpaid),
    Queue("Bank accounts to review", BankAccount, "created_at", lambda rows, now: rows.pending()),
    Queue("Bank entries to explain", BankEntry, "created_at", lambda rows, now: rows.unmatched()),
    Queue("Messages not sent", Message, "due_at", _unsent),
    Queue("Merchants to verify", Merchant, "created_at", _unverified, mode=""),
    Queue("Merchants to review", Merchant, "waits_since", _with_change, mode=""),
)
