"""The entries that the bank reports, and what we matched them with."""

from datetime import datetime
from typing import ClassVar, Self, cast

from django.db import models
from django.db.models import F, Q

from core.ids import PublicIdField
from core.signatures import SignatureField
from merchants.scoping import CallerScoped
from payouts.errors import BankEntryNotFound
from payouts.models.bank_files import MAX_REFERENCE, BankFile, BankSource, BankStatement
from payouts.models.payouts import MAX_BANK_REFERENCE, Payout, PayoutBatch

MAX_REASON = 255


class BankEntryKind(models.TextChoices):
    """What the bank reports about a payout, or about money."""

    PROCESSING = "processing", "in process"
    SETTLED = "settled", "settled"
    REJECTED = "rejected", "rejected"
    DEBIT = "debit", "money that left"
    RETURN = "return", "money sent back"
    CREDIT = "credit", "money that came in"
    UNKNOWN = "unknown", "a status that is not known"


CAME_IN = frozenset({BankEntryKind.RETURN, BankEntryKind.CREDIT})


class BankEntryState(models.TextChoices):
    """How an entry was resolved. An unmatched one waits for a person."""

    UNMATCHED = "unmatched"
    MATCHED = "matched"
    OTHER = "other", "not of a payout"


class BankEntryQuerySet(CallerScoped["BankEntry"]):
    missing = BankEntryNotFound

    def unmatched(self) -> Self:
        """Return the entries that wait for a person."""
        return self.filter(state=BankEntryState.UNMATCHED)

    def named_by_bank(self) -> Self:
        """Leave out incoming money: its references are the sender's, who could block payouts.

        Nothing is missed: outgoing money has a debit, and money marked as sent back is a return.
        """
        return self.exclude(kind=BankEntryKind.CREDIT)

    def besides_charges(self) -> Self:
        """Leave out entries that are nothing but a bank charge, booked on its own."""
        return self.exclude(amount=F("charge_amount"), charge_amount__gt=0)


class BankEntry(models.Model):
    """One item that the bank reports. `amount` is in cents, null if a status report has none.

    `charge_amount` is the part of a debit that the bank says is its own charge; for a credit, the
    whole amount if the bank refunds a charge.
    `key` is derived from the bank's reference, the booking date, the money and the text, so that
    the same entry in a second file is the same row. `problem` says why it could not be matched.
    What the bank said never changes. `bank_reference` is the bank's reference of this payment,
    `entry_reference` that of the whole booking; all banks share `uetr` and `transaction_id`.
    `credited_to` is the public id of what incoming money was credited to, in a higher app.
    """

    id = PublicIdField(primary_key=True)
    file = models.ForeignKey(BankFile, on_delete=models.PROTECT, related_name="entries")
    statement = models.ForeignKey(
        BankStatement, on_delete=models.PROTECT, null=True, related_name="entries"
    )
    livemode = models.BooleanField()
    source = models.CharField(max_length=16, choices=BankSource)
    key = models.CharField(max_length=64)
    kind = models.CharField(max_length=16, choices=BankEntryKind)
    amount = models.BigIntegerField(null=True)
    charge_amount = models.BigIntegerField(default=0, db_default=0)
    currency = models.CharField(max_length=3, default="", blank=True)
    end_to_end_id = models.CharField(max_length=MAX_REFERENCE, default="", blank=True)
    message_reference = models.CharField(max_length=MAX_REFERENCE, default="", blank=True)
    bank_reference = models.CharField(max_length=MAX_BANK_REFERENCE, default="", blank=True)
    entry_reference = models.CharField(
        max_length=MAX_BANK_REFERENCE, default="", db_default="", blank=True
    )
    uetr = models.CharField(max_length=MAX_BANK_REFERENCE, default="", db_default="", blank=True)
    transaction_id = models.CharField(
        max_length=MAX_BANK_REFERENCE, default="", db_default="", blank=True
    )
    booking_date = models.DateField(null=True)
    code = models.CharField(max_length=MAX_REFERENCE, default="", blank=True)
    message = models.CharField(max_length=MAX_REASON, default="", blank=True)
    state = models.CharField(
        max_length=16, choices=BankEntryState, default=BankEntryState.UNMATCHED
    )
    problem = models.CharField(max_length=MAX_REASON, default="", blank=True)
    payout = models.ForeignKey(
        Payout, on_delete=models.PROTECT, null=True, related_name="bank_entries"
    )
    batch = models.ForeignKey(
        PayoutBatch, on_delete=models.PROTECT, null=True, related_name="bank_entries"
    )
    credited_to = PublicIdField(default="", blank=True)
    note = models.CharField(max_length=500, default="", blank=True)
    created_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.CharField(max_length=100, default="", blank=True)
    signature = SignatureField(
        *("id", "file_id", "statement_id", "livemode", "source", "key", "kind", "amount"),
        *("currency", "end_to_end_id", "message_reference", "bank_reference", "booking_date"),
        *("code", "message", "created_at"),
        added_later={"charge_amount": 0, "entry_reference": "", "uetr": "", "transaction_id": ""},
        in_log=True,
    )

    objects: ClassVar[BankEntryQuerySet] = BankEntryQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        verbose_name_plural = "bank entries"
        constraints = (
            models.UniqueConstraint(fields=["livemode", "source", "key"], name="bank_entry_once"),
            models.CheckConstraint(
                condition=Q(state=BankEntryState.UNMATCHED, resolved_at=None)
                | ~Q(state=BankEntryState.UNMATCHED) & Q(resolved_at__isnull=False),
                name="bank_entry_resolved_at",
            ),
            models.CheckConstraint(
                condition=~Q(state=BankEntryState.MATCHED)
                | Q(payout__isnull=False)
                | Q(batch__isnull=False)
                | ~Q(credited_to=""),
                name="bank_entry_matched_with",
            ),
            models.CheckConstraint(
                condition=~Q(state=BankEntryState.OTHER) | ~Q(note=""), name="bank_entry_noted"
            ),
            models.CheckConstraint(
                condition=Q(charge_amount=0)
                | Q(
                    kind=BankEntryKind.DEBIT,
                    amount__isnull=False,
                    charge_amount__gt=0,
                    charge_amount__lte=F("amount"),
                )
                | Q(kind=BankEntryKind.CREDIT, charge_amount__gt=0, amount=F("charge_amount")),
                name="bank_entry_charge",
            ),
        )
        indexes = (
            models.Index(
                fields=["livemode", "created_at"],
                name="bank_entry_waiting",
                condition=Q(state=BankEntryState.UNMATCHED),
            ),
            models.Index(
                fields=["credited_to"],
                name="bank_entry_credited_to",
                condition=~Q(credited_to=""),
            ),
            models.Index(
                fields=["bank_reference", "amount"],
                name="bank_entry_reference",
                condition=~Q(bank_reference=""),
            ),
            models.Index(fields=["amount", "booking_date"], name="bank_entry_money"),
            models.Index(
                fields=["end_to_end_id", "message_reference"],
                name="bank_entry_left",
                condition=Q(
                    kind=BankEntryKind.DEBIT,
                    state__in=(BankEntryState.UNMATCHED, BankEntryState.OTHER),
                ),
            ),
        )

    def __str__(self) -> str:
        return self.id

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a person."""
        return self.state == BankEntryState.UNMATCHED

    @property
    def is_charge(self) -> bool:
        """Whether it is nothing but a bank charge, booked on its own."""
        return self.charge_amount > 0 and self.amount == self.charge_amount

    @property
    def booked_amount(self) -> int:
        """What a statement or a notification books in cents: neither is without an amount."""
        return cast("int", self.amount)

    @property
    def is_booked_credit(self) -> bool:
        """Whether it is incoming money on a statement: a notification of it may still follow."""
        return self.kind == BankEntryKind.CREDIT and self.source == BankSource.STATEMENT

    def match(
        self,
        *,
        payout: Payout | None = None,
        batch: PayoutBatch | None = None,
        credited_to: str = "",
        by: str,
        at: datetime,
    ) -> None:
        """Record what this entry matches. The row must be locked."""
        self.payout, self.batch, self.credited_to = payout, batch, credited_to
        self._resolve(BankEntryState.MATCHED, by=by, at=at)

    def set_aside(self, *, note: str, by: str, at: datetime) -> None:
        """Record that this entry concerns no payout, and what it is. The row must be locked."""
        self.note = note
        self._resolve(BankEntryState.OTHER, by=by, at=at)

    def reopen(self, problem: str) -> None:
        """Leave a resolved entry to a person again, with the problem. The row must be locked."""
        self.payout = self.batch = None
        self.note = ""
        self._resolve(BankEntryState.UNMATCHED, problem=problem, by="", at=None)

    def wait(self, problem: str) -> None:
        """Leave this entry to a person, with the problem. The row must be locked."""
        self.problem = problem[:MAX_REASON]
        self.save(update_fields=["problem"])

    def _resolve(
        self, state: BankEntryState, *, by: str, at: datetime | None, problem: str = ""
    ) -> None:
        self.state, self.problem = state, problem[:MAX_REASON]
        self.resolved_at, self.resolved_by = at, by
        self.save(
            update_fields=[
                "state", "problem", "payout", "batch", "credited_to", "note", "resolved_at",
                "resolved_by",
            ]
        )  # fmt: skip
