"""What needs someone's attention, how much of it there is, and how old the oldest is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Model, QuerySet

from backoffice.formats import age
from backoffice.models import Instruction
from backoffice.resource.catalog import CATALOG
from backoffice.resource.page_urls import list_of
from backoffice.roles import InstructionKind, Right
from backoffice.staff import Staff
from backoffice.statuses import InstructionStatus
from merchants.models import Merchant, MerchantChange
from merchants.statuses import MerchantStatus
from messages.models import Message
from payments.models import Payment
from payments.statuses import PaymentStatus
from payouts.models import BankAccount, BankEntry, Payout
from payouts.statuses import ENDED_UNPAID
from refunds.models import Inquiry, Refund
from refunds.statuses import RefundStatus
from webhooks.models import Delivery, Webhook
from webhooks.statuses import DeliveryStatus, DisabledReason

COUNTED = 100
STUCK = timedelta(minutes=5)
RECENT = timedelta(days=7)


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


Rows = tuple[QuerySet, str]  # type: ignore[type-arg]  # of any model; and the field of its age


def queues_of(staff: Staff, *, livemode: bool, now: datetime) -> list[AttentionQueue]:
    """Return the queues that this member of staff can see and that are not empty."""
    return [queue for queue in _all(staff, livemode, now) if queue.count]


def _all(staff: Staff, livemode: bool, now: datetime) -> Iterator[AttentionQueue]:
    for title, model, query, rows_of in _QUEUES:
        if staff.may(CATALOG[model].right):
            rows, field = rows_of(livemode, now)
            if model is Instruction and not staff.may(Right.VIEW_STAFF):
                rows = rows.exclude(kind=InstructionKind.STAFF)
            yield _queue(title, rows, field, list_of(model, **query, **_mode(model, livemode)), now)


def _queue(title: str, rows: "QuerySet", field: str, url: str, now: datetime) -> AttentionQueue:  # type: ignore[type-arg]  # of any model
    count = rows.order_by()[: COUNTED + 1].count()
    first = rows.order_by(field).values_list(field, flat=True).first() if count else None
    return AttentionQueue(title, count, age(first, now) if first else "", url)


def _approvals(livemode: bool, now: datetime) -> Rows:
    waiting = Instruction.objects.filter(status=InstructionStatus.WAITING, livemode=livemode)
    return waiting, "asked_at"


def _exhausted(livemode: bool, now: datetime) -> Rows:
    failed = Delivery.objects.filter(
        status=DeliveryStatus.FAILED, ended_at__gte=now - RECENT, webhook__livemode=livemode
    )
    return failed, "ended_at"


def _failed_payouts(livemode: bool, now: datetime) -> Rows:
    unpaid = Payout.objects.filter(
        status__in=sorted(ENDED_UNPAID), livemode=livemode, updated_at__gte=now - RECENT
    )
    return unpaid, "updated_at"


def _bank_entries(livemode: bool, now: datetime) -> Rows:
    return BankEntry.objects.unmatched().filter(livemode=livemode), "created_at"


def _accounts(livemode: bool, now: datetime) -> Rows:
    return BankAccount.objects.pending().filter(livemode=livemode), "created_at"


def _pending_refunds(livemode: bool, now: datetime) -> Rows:
    return Refund.objects.filter(status=RefundStatus.PENDING, livemode=livemode), "created_at"


def _inquiries(livemode: bool, now: datetime) -> Rows:
    return Inquiry.objects.open().filter(livemode=livemode), "open_since"


def _stuck(livemode: bool, now: datetime) -> Rows:
    stuck = Payment.objects.filter(
        status=PaymentStatus.PROCESSING, livemode=livemode, updated_at__lt=now - STUCK
    )
    return stuck, "updated_at"


def _messages(livemode: bool, now: datetime) -> Rows:
    recent = Message.objects.filter(livemode=livemode, due_at__gte=now - RECENT)
    return recent.unsent(now), "due_at"


def _endpoints(livemode: bool, now: datetime) -> Rows:
    off = Webhook.objects.not_deleted().filter(
        livemode=livemode, disabled_reason__in=(DisabledReason.GONE, DisabledReason.FAILING)
    )
    return off, "updated_at"


def _failing(livemode: bool, now: datetime) -> Rows:
    return Webhook.objects.failing().filter(livemode=livemode), "failing_since"


def _unverified(livemode: bool, now: datetime) -> Rows:
    return Merchant.objects.filter(status=MerchantStatus.UNVERIFIED), "created_at"


def _changed(livemode: bool, now: datetime) -> Rows:
    return MerchantChange.objects.pending(), "created_at"


def _mode(model: type[Model], livemode: bool) -> dict[str, str]:
    """Return the filter by mode; a merchant is of both."""
    return {} if model is Merchant else {"mode": "live" if livemode else "test"}


# What to look at first stands first. The query finds the same rows in the list.
_QUEUES: tuple[
    tuple[str, type[Model], dict[str, str], Callable[[bool, datetime], Rows]],
    ...,
] = (
    ("Approvals waiting", Instruction, {"status": "waiting"}, _approvals),
    ("Payments stuck in processing", Payment, {"status": "processing"}, _stuck),
    ("Customers waiting for an answer", Inquiry, {"status": "open"}, _inquiries),
    ("Endpoints failing", Webhook, {"state": "failing"}, _failing),
    ("Webhook deliveries failed", Delivery, {"status": "failed"}, _exhausted),
    ("Endpoints switched off", Webhook, {"state": "off"}, _endpoints),
    ("Refunds waiting for money", Refund, {"status": "pending"}, _pending_refunds),
    ("Payouts failed or returned", Payout, {"status": "unpaid"}, _failed_payouts),
    ("Bank accounts to review", BankAccount, {"state": "pending"}, _accounts),
    ("Bank entries to explain", BankEntry, {"state": "unmatched"}, _bank_entries),
    ("Messages not sent", Message, {"state": "unsent"}, _messages),
    ("Merchants to verify", Merchant, {"status": "unverified"}, _unverified),
    ("Merchants to review", Merchant, {"change": "pending"}, _changed),
)
