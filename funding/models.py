"""Top-ups, the verification of payments that wait for them, and daily cash totals."""

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import F, Q

from core.ids import PublicIdField
from core.limits import MAX_TEXT
from core.money import MAX_AMOUNT
from core.signatures import SignatureField
from customers.models import Customer, CustomerSession
from funding.errors import TopUpNotFound, TopUpStatusUnfit
from funding.statuses import EVER_CREDITED, TRANSITIONS, TopUpStatus
from merchants.scoping import CallerScoped
from payments.models import Payment
from payments.verification import Verification

S = TopUpStatus
_CREDITED = sorted(EVER_CREDITED)


class FundingWay(models.TextChoices):
    """The ways to add money. Each has a provider."""

    BANK_TRANSFER = "bank_transfer", "bank transfer"
    AGENT = "agent", "cash"
    SIMULATED = "simulated", "simulated"


class TopUpQuerySet(CallerScoped["TopUp"]):
    missing = TopUpNotFound

    def pending(self) -> Self:
        """Return the top-ups stored as pending."""
        return self.filter(status=S.PENDING)

    def waiting(self, now: datetime) -> Self:
        """Return pending top-ups that are not overdue, whether or not the sweep has run."""
        return self.pending().filter(expires_at__gt=now)

    def shown_as(self, status: str, now: datetime) -> Self:
        """Return top-ups by effective status: overdue ones count as expired before the sweep."""
        late = Q(status=S.PENDING, expires_at__lte=now)
        stored = self.filter(status=status)
        if status == S.EXPIRED:
            return self.filter(Q(status=status) | late)
        return stored.filter(expires_at__gt=now) if status == S.PENDING else stored

    def to_follow_up(self) -> Self:
        """Return credited top-ups whose payment has not been followed up yet."""
        return self.filter(status=S.SUCCEEDED, payment__isnull=False, followed_up_at=None)


class TopUp(models.Model):
    """Money that a customer adds to their wallet. `amount`, in cents, is what was ordered.

    `amount_received` is what arrived and what the ledger moved under this id. `payment` is the
    payment it was added for; `followed_up_at` is when that payment was continued afterwards.
    `code_handle` identifies the code by which the customer confirms cash, `taken_by` who took it.
    `amount_reversed` is what staff took back from the wallet, if the money was lost after all.
    """

    id = PublicIdField(primary_key=True)
    customer = models.ForeignKey(
        Customer, on_delete=models.PROTECT, db_index=False, related_name="top_ups"
    )
    payment = models.ForeignKey(
        Payment, on_delete=models.PROTECT, null=True, related_name="top_ups"
    )
    livemode = models.BooleanField()
    way = models.CharField(max_length=16, choices=FundingWay)
    status = models.CharField(max_length=16, choices=TopUpStatus, default=S.PENDING)
    amount = models.BigIntegerField()
    amount_received = models.BigIntegerField(null=True)
    amount_reversed = models.BigIntegerField(null=True)
    currency = models.CharField(max_length=3)
    reference = models.CharField(max_length=25, unique=True)
    transaction_id = PublicIdField(null=True, unique=True)
    code_handle = models.CharField(max_length=64, default="", blank=True, editable=False)
    taken_by = models.CharField(max_length=100, default="", blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    succeeded_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    canceled_at = models.DateTimeField(null=True)
    expired_at = models.DateTimeField(null=True)
    reversed_at = models.DateTimeField(null=True)
    followed_up_at = models.DateTimeField(null=True)
    signature = SignatureField(
        *("id", "customer_id", "payment_id", "livemode", "way", "amount", "currency"),
        *("reference", "created_at"),
        in_log=True,
    )

    objects: ClassVar[TopUpQuerySet] = TopUpQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        verbose_name = "top-up"
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=MAX_AMOUNT), name="top_up_amount"
            ),
            models.CheckConstraint(
                condition=Q(status__in=TopUpStatus.values, way__in=FundingWay.values),
                name="top_up_status",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=_CREDITED,
                    amount_received__gte=1,
                    transaction_id__isnull=False,
                    succeeded_at__isnull=False,
                )
                | (
                    ~Q(status__in=_CREDITED)
                    & Q(amount_received=None, transaction_id=None, succeeded_at=None)
                ),
                name="top_up_succeeded",
            ),
            models.CheckConstraint(
                condition=Q(
                    status=S.REVERSED,
                    amount_reversed__gte=1,
                    amount_reversed__lte=F("amount_received"),
                    reversed_at__isnull=False,
                )
                | ~Q(status=S.REVERSED) & Q(amount_reversed=None, reversed_at=None),
                name="top_up_reversed",
            ),
            models.CheckConstraint(
                condition=Q(livemode=False) | ~Q(way=FundingWay.SIMULATED),
                name="top_up_simulated_in_test",
            ),
        )
        indexes = (
            models.Index(fields=["customer", "-id"], name="top_up_of_customer"),
            models.Index(
                fields=["expires_at"], name="top_up_pending", condition=Q(status=S.PENDING)
            ),
            models.Index(
                fields=["succeeded_at"],
                name="top_up_to_follow_up",
                condition=Q(status=S.SUCCEEDED, payment__isnull=False, followed_up_at=None),
            ),
            models.Index(
                fields=["taken_by", "succeeded_at"],
                name="top_up_in_cash",
                condition=~Q(taken_by=""),
            ),
        )

    def __str__(self) -> str:
        return self.id

    def status_at(self, now: datetime) -> TopUpStatus:
        """Return the effective status: expired from `expires_at` on, even before the sweep."""
        is_late = self.status == S.PENDING and self.expires_at <= now
        return S.EXPIRED if is_late else S(self.status)

    def takes_cash(self, now: datetime) -> bool:
        """Return whether cash can be taken for it now."""
        return self.way == FundingWay.AGENT and self.status_at(now) == S.PENDING

    def transition_to(
        self, status: TopUpStatus, *, now: datetime, actor: str, cause: str = ""
    ) -> None:
        """Move to a status and record it. The row must be locked; all its columns are saved.

        Raises TopUpStatusUnfit if TRANSITIONS has no such move.
        """
        before = TopUpStatus(self.status)
        if status not in TRANSITIONS[before]:
            raise TopUpStatusUnfit(status=f"is {before}")
        self.status, self.updated_at = status, now
        setattr(self, f"{status}_at", now)
        self.save(force_update=True)
        TopUpTransition.objects.create(
            top_up=self, from_status=before, to_status=status, at=now, actor=actor, cause=cause
        )


class TopUpTransition(models.Model):
    """One transition of a top-up: from (empty for the first), to, when, by whom and why."""

    top_up = models.ForeignKey(TopUp, on_delete=models.PROTECT, related_name="transitions")
    from_status = models.CharField(max_length=16, choices=TopUpStatus, default="", blank=True)
    to_status = models.CharField(max_length=16, choices=TopUpStatus)
    at = models.DateTimeField()
    actor = models.CharField(max_length=100)
    cause = models.CharField(max_length=255, default="", blank=True)
    signature = SignatureField("top_up_id", "from_status", "to_status", "at", "actor", "cause")

    def __str__(self) -> str:
        return f"{self.top_up_id}: {self.from_status} → {self.to_status}"


class PaymentProof(models.Model):
    """A customer's verification, in a session, for one payment that waits for money.

    Valid only for that payment and customer, until the session ends (by signing out, a PIN change
    elsewhere, or freezing) or the merchant changes the description. Of one customer's, the latest
    counts.
    """

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, db_index=False, related_name="+")
    session = models.ForeignKey(CustomerSession, on_delete=models.CASCADE, related_name="+")
    verified = models.PositiveSmallIntegerField(choices=[(v.value, v.name) for v in Verification])
    proved_at = models.DateTimeField()
    # The payment's description at that time; null in rows older than this column.
    description = models.CharField(max_length=MAX_TEXT, null=True)  # noqa: DJ001

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["payment", "session"], name="payment_proof_once"),
        )

    def __str__(self) -> str:
        return f"{self.payment_id}: {Verification(self.verified).name}"


class CashDay(models.Model):
    """A day on which one person has taken cash: the row to lock for taking more.

    The table also has an `amount`, which only processes of earlier versions write.
    """

    agent = models.CharField(max_length=100)
    livemode = models.BooleanField()
    currency = models.CharField(max_length=3)
    day = models.DateField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["agent", "livemode", "currency", "day"], name="cash_day_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.agent} {self.day} {self.currency}"
