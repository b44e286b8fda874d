"""A payment, and the record of its transitions; beside it, the tills and their tickets."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q, Value

from core.errors import ApiError, InvalidAmount
from core.ids import PublicIdField
from core.limits import MAX_EMAIL, MAX_NAME, MAX_TEXT, MAX_URL
from core.prepared import Placeholder, Prepared
from core.queries import Lookups
from core.signatures import SignatureField
from core.writing import insertion_of, update_of, write
from customers.models import Customer
from ledger.errors import InsufficientBalance
from merchants.scoping import CallerKind, CallerScoped, Scope
from payments.constraints import CONSTRAINTS
from payments.errors import (
    REFUSAL_BY_STATUS,
    PaymentFailed,
    PaymentNotCompleted,
    PaymentNotFound,
)
from payments.indexes import INDEXES
from payments.modes import PaymentMode
from payments.replacement_rows import Replacement
from payments.statuses import AGREED, ALLOWED, EXPIRABLE, TRANSITIONS, PaymentStatus, status_at
from payments.till_models import Ticket, Till

__all__ = ["Payment", "PaymentTransition", "Replacement", "Ticket", "Till"]

STAMPED = {
    PaymentStatus.COMPLETED: "completed_at",
    PaymentStatus.FAILED: "failed_at",
    PaymentStatus.EXPIRED: "expired_at",
    PaymentStatus.CANCELED: "canceled_at",
}
# The columns that a transition may change.
_MOVED = (
    *("status", "updated_at", *STAMPED.values()),
    *("customer", "transaction_id", "fee", "settles_at", "error_code", "error_message"),
)


class PaymentQuerySet(CallerScoped["Payment"]):
    missing = PaymentNotFound
    searched = ("description", "order_id", "invoice_number", "reference")

    def locked_alone(self, pk: str, caller: Scope | None = None) -> "Payment | None":
        """Lock a sale without link or ticket; return it with its merchant, in one statement.

        None for any other payment, and for one that the caller may not see.
        """
        kind = None if caller is None else CallerKind.of(caller)
        texts = {"pk": pk, "merchant_id": None if caller is None else caller.merchant_id}
        found = _alone(kind).rows(**texts)
        return found[0] if found else None

    def listed(self, caller: Scope, lookups: Lookups, now: datetime | Value) -> Self:
        others = dict(lookups)
        status = others.pop("status", None)
        rows = self.visible_to(caller)
        return (rows.shown_as(status, now) if status else rows).matching(others, caller)

    def due_to_expire(self, now: datetime | Value) -> Self:
        """Return overdue payments that the sweep has not expired yet."""
        return self.filter(status__in=EXPIRABLE, expires_at__lte=now)

    def shown_as(self, status: str, now: datetime | Value) -> Self:
        """Return payments by effective status: overdue ones count as expired before the sweep."""
        due = Q(status__in=EXPIRABLE, expires_at__lte=now)
        if status == PaymentStatus.EXPIRED:
            return self.filter(Q(status=status) | due)
        stored = self.filter(status=status)
        return stored.exclude(due) if status in EXPIRABLE else stored


class Payment(models.Model):
    """One payment session; in mode STATIC_PAY, also a counter that other payments belong to.

    `amount` is in cents, and null only for a counter at which the customer enters it. It includes
    `tip`, and `fee`: the service's share, known once completed.
    """

    id = PublicIdField(primary_key=True)
    # The list indexes below also serve the foreign keys.
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT, db_index=False)
    livemode = models.BooleanField()
    amount = models.BigIntegerField(null=True)
    currency = models.CharField(max_length=3)
    status = models.CharField(max_length=16, choices=PaymentStatus, default=PaymentStatus.CREATED)
    payment_mode = models.CharField(max_length=16, choices=PaymentMode)
    description = models.CharField(max_length=MAX_TEXT, default="", blank=True)
    # The description that the customer agreed to, set once the merchant changes it afterwards.
    paid_description = models.CharField(max_length=MAX_TEXT, null=True)  # noqa: DJ001
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, null=True, db_index=False)
    link = models.ForeignKey(
        "links.PaymentLink", on_delete=models.PROTECT, null=True, db_index=False
    )
    static_payment = models.ForeignKey("self", on_delete=models.PROTECT, null=True, db_index=False)
    ticket = models.ForeignKey(Ticket, on_delete=models.PROTECT, null=True, db_index=False)
    tip = models.BigIntegerField(null=True)
    transaction_id = PublicIdField(null=True, unique=True)
    success_url = models.CharField(max_length=MAX_URL, default="", blank=True)
    cancel_url = models.CharField(max_length=MAX_URL, default="", blank=True)
    metadata = models.JSONField(default=dict)
    order_id = models.CharField(max_length=MAX_NAME, null=True)  # noqa: DJ001  # absent is not empty
    line_items = models.JSONField(null=True)
    total = models.BigIntegerField(null=True)
    invoice_number = models.CharField(max_length=MAX_NAME, null=True)  # noqa: DJ001
    customer_email = models.CharField(max_length=MAX_EMAIL, null=True)  # noqa: DJ001
    due_date = models.DateField(null=True)
    terms = models.CharField(max_length=MAX_TEXT, null=True)  # noqa: DJ001
    reference = models.CharField(max_length=MAX_NAME, null=True)  # noqa: DJ001
    fee = models.BigIntegerField(null=True)
    amount_refunded = models.BigIntegerField(default=0)
    amount_refund_pending = models.BigIntegerField(default=0)
    error_code = models.CharField(max_length=40, null=True)  # noqa: DJ001
    error_message = models.CharField(max_length=255, null=True)  # noqa: DJ001
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    settles_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    expired_at = models.DateTimeField(null=True)
    canceled_at = models.DateTimeField(null=True)
    # Its terms, which never change. Its status follows from its transitions.
    signature = SignatureField(
        *("id", "merchant_id", "livemode", "amount", "currency", "payment_mode"),
        *("link_id", "static_payment_id", "created_at"),
        in_log=True,
    )

    objects = PaymentQuerySet.as_manager()

    class Meta:
        indexes = INDEXES
        constraints = CONSTRAINTS

    def __str__(self) -> str:
        return self.id

    @property
    def is_counter(self) -> bool:
        """Whether this is a static counter itself, not a payment made at one."""
        return self.payment_mode == PaymentMode.STATIC_PAY and self.static_payment_id is None

    @property
    def hosted_url(self) -> str:
        """The path of its checkout page."""
        return f"/checkout/{self.id}"

    @property
    def url(self) -> str:
        """The absolute address of its checkout page."""
        return f"{settings.CHECKOUT_URL}{self.hosted_url}"

    @property
    def sale_amount(self) -> int:
        """The amount of a sale in cents. Raises InvalidAmount for a counter without one."""
        if self.amount is None:
            raise InvalidAmount(amount="is entered at the counter, for a payment of its own")
        return self.amount

    @property
    def agreed_description(self) -> str:
        """The description that the customer agreed to; later changes do not reach the receipt."""
        return self.description if self.paid_description is None else self.paid_description

    @property
    def net(self) -> int | None:
        """The amount less the fee, in cents; None until completed."""
        return None if self.fee is None or self.amount is None else self.amount - self.fee

    @property
    def amount_refundable(self) -> int:
        """What can still be refunded, in cents, net of pending refunds."""
        if self.status != PaymentStatus.COMPLETED or self.amount is None:
            return 0
        return self.amount - self.amount_refunded - self.amount_refund_pending

    @property
    def paying_customer(self) -> Customer:
        """The customer who paid. Raises PaymentNotCompleted if there is none yet."""
        if self.customer is None:
            raise PaymentNotCompleted
        return self.customer

    @property
    def refund_status(self) -> str:
        """`none`, `partial` or `full`."""
        if not self.amount_refunded:
            return "none"
        return "full" if self.amount_refunded == self.amount else "partial"

    def describe(self, description: str) -> None:
        """Change the description, and keep the one that the customer has already paid for.

        Before that, Pay submits the text that was read: if it has changed, it is reviewed again.
        """
        if self.status in AGREED and self.paid_description is None:
            self.paid_description = self.description
        self.description = description

    def status_at(self, now: datetime) -> PaymentStatus:
        """Return the effective status: expired from `expires_at` on, even before the sweep."""
        return status_at(self.status, self.expires_at, now)

    def refusal(self, now: datetime) -> ApiError:
        """Return the error that explains why the current status does not allow the request."""
        status = self.status_at(now)
        return REFUSAL_BY_STATUS[status](status=f"is {status}; {ALLOWED[status]}")

    def refuse_ended_link(self, now: datetime) -> None:
        """Raise the error of the link it was opened through, if that takes no more payments."""
        if self.link is not None:
            self.link.refuse_ended(now)

    @property
    def failure(self) -> ApiError:
        """The error to answer with for a failed payment, under the code it failed with."""
        if self.error_code == InsufficientBalance.code:
            return InsufficientBalance(PaymentFailed.message)  # its own message says the rest
        return PaymentFailed(self.error_message or "")

    def transition_to(
        self,
        *path: PaymentStatus,
        now: datetime,
        actor: str,
        cause: str = "",
        send: Callable[..., object] = write,
    ) -> None:
        """Move through one or more statuses and record each move; `cause` belongs to the last.

        The row must be locked. `send` gets the statements that save the changed columns and the
        transitions. Raises PaymentExpired for any move but expiry after `expires_at`, and the error
        of the current status if TRANSITIONS has no such move.
        """
        moves = []
        for status in path:
            before = PaymentStatus(self.status)
            self._refuse_move(before, status, now)
            self.status = status
            if status in STAMPED:
                setattr(self, STAMPED[status], now)
            move = PaymentTransition(payment=self, from_status=before, to_status=status)
            move.at, move.actor = now, actor
            moves.append(move)
        moves[-1].cause = cause
        self.updated_at = now
        send(update_of(self, *_MOVED), insertion_of(*moves))

    def _refuse_move(self, before: PaymentStatus, status: PaymentStatus, now: datetime) -> None:
        if status not in TRANSITIONS[before]:
            raise self.refusal(now)
        if status != PaymentStatus.EXPIRED and self.status_at(now) == PaymentStatus.EXPIRED:
            raise self.refusal(now)


@cache
def _alone(caller: CallerKind | None) -> Prepared[Payment]:
    rows = Payment.objects.all() if caller is None else Payment.objects.visible_to(caller)
    counter = Q(payment_mode=PaymentMode.STATIC_PAY, static_payment=None)
    alone = (
        rows.filter(pk=Placeholder("pk"), link=None, ticket=None)
        .exclude(counter)
        .select_related("merchant")
    )
    return Prepared(alone.select_for_update(no_key=True, of=("self",)))


class PaymentTransition(models.Model):
    """One transition of a payment: from, to, when, by whom and why. Never changed."""

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="transitions")
    from_status = models.CharField(max_length=16, choices=PaymentStatus)
    to_status = models.CharField(max_length=16, choices=PaymentStatus)
    at = models.DateTimeField()
    actor = models.CharField(max_length=100)
    cause = models.CharField(max_length=255, default="", blank=True)
    signature = SignatureField("payment_id", "from_status", "to_status", "at", "actor", "cause")

    def __str__(self) -> str:
        return f"{self.payment_id}: {self.from_status} → {self.to_status}"
