"""The back office's own tables: the audit trail, notes, instructions, views, figures."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q, Sum

from backoffice.authenticators import Authenticator as Authenticator
from backoffice.authenticators import StaffPasskey as StaffPasskey
from backoffice.errors import InstructionDecided, InstructionNotFound
from backoffice.figure_models import DayFigures as DayFigures
from backoffice.figure_models import IntervalFigures as IntervalFigures
from backoffice.roles import InstructionKind
from backoffice.run_models import ExportForm as ExportForm
from backoffice.run_models import ExportPart as ExportPart
from backoffice.run_models import ExportRun as ExportRun
from backoffice.run_models import ResendRun as ResendRun
from backoffice.statuses import TRANSITIONS, InstructionStatus
from core.ids import PublicIdField
from core.money import MAX_AMOUNT
from core.sealed import SealedTextField, bound
from core.signatures import SignatureField, SignedRow
from merchants.scoping import CallerScoped

_STAFF = settings.AUTH_USER_MODEL


class AuditOutcome(models.TextChoices):
    DONE = "done", "done"
    ASKED = "asked", "waits for approval"
    REFUSED = "refused", "refused"
    FORBIDDEN = "forbidden", "not allowed"


class AuditEntry(models.Model):
    """One action, or failed attempt, of one member of staff on one object. Never changed.

    `hash` covers the entry and the previous hash, so that none can be changed or removed unnoticed.
    """

    sequence = models.BigIntegerField(primary_key=True)
    at = models.DateTimeField(db_index=True)
    actor = models.CharField(max_length=150)
    roles = models.CharField(max_length=100, blank=True)
    act = models.CharField(max_length=64)
    outcome = models.CharField(max_length=16, choices=AuditOutcome)
    subject_type = models.CharField(max_length=32)
    subject_id = PublicIdField(max_length=64, blank=True)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    reason = models.CharField(max_length=500, default="", blank=True)
    note = models.CharField(max_length=2_000, default="", blank=True)
    error = models.CharField(max_length=500, default="", blank=True)
    address = models.CharField(max_length=45, default="", blank=True)
    request_id = models.CharField(max_length=64, default="", blank=True)
    hash = models.CharField(max_length=64)

    class Meta:
        verbose_name = "audit entry"
        verbose_name_plural = "audit entries"
        indexes = (
            models.Index(fields=["subject_id", "sequence"], name="audit_subject"),
            models.Index(fields=["actor", "sequence"], name="audit_actor"),
        )

    def __str__(self) -> str:
        return f"{self.sequence}: {self.act} by {self.actor}"


class AuditHead(models.Model):
    """The end of the audit trail; the writer of an entry locks this row until its commit."""

    sequence = models.BigIntegerField(default=0)
    hash = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"audit {self.sequence}"


class NoteSubject(models.TextChoices):
    PAYMENT = "payment"
    CUSTOMER = "customer"
    MERCHANT = "merchant"


class Note(models.Model):
    """What other staff should know. It never leaves the back office, and never changes."""

    subject_type = models.CharField(max_length=16, choices=NoteSubject)
    subject_id = PublicIdField()
    text = models.CharField(max_length=2_000)
    author = models.ForeignKey(_STAFF, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        indexes = (models.Index(fields=["subject_id", "created_at"], name="note_subject"),)
        constraints = (models.CheckConstraint(condition=~Q(text=""), name="note_says_something"),)

    def __str__(self) -> str:
        return f"note {self.pk} on {self.subject_id}"


class InstructionQuerySet(CallerScoped["Instruction"]):
    missing = InstructionNotFound

    def shown_as(self, status: str, now: datetime) -> Self:
        """Return those displayed in this status, whether or not the sweep has reached them."""
        if status == InstructionStatus.WAITING:
            return self.waiting(now)
        due = Q(status=InstructionStatus.WAITING, expires_at__lte=now)
        is_expired = status == InstructionStatus.EXPIRED
        return self.filter(Q(status=status) | due if is_expired else Q(status=status))

    def waiting(self, now: datetime) -> Self:
        """Return those that a second person may still approve, oldest first."""
        waiting = self.filter(status=InstructionStatus.WAITING, expires_at__gt=now)
        return waiting.order_by("asked_at", "pk")

    def total_amount(self) -> int:
        """Return the sum of their amounts in the smallest unit, across currencies."""
        return int(self.order_by().aggregate(total=Sum("amount"))["total"] or 0)


class Instruction(SignedRow):
    """A request of staff: carried out at once within their limit, or once approved.

    `arguments` is exactly what will be done. `form_key` is the key of its form: sent twice, it is
    still one instruction. `result_id` is the refund, payout, key or transaction, `sealed_result` a
    secret not collected yet. `subject_id` is the account's name if it is about staff, and the
    SHA-256 of a bank file. `glass_broken_at`: the requester went on without a second person.
    """

    id = PublicIdField(primary_key=True)
    kind = models.CharField(
        max_length=16, choices=[(kind.value, kind.value) for kind in InstructionKind]
    )
    task = models.CharField(max_length=32)
    subject_id = PublicIdField(max_length=64, db_index=True)
    merchant_id = PublicIdField(default="", blank=True)
    livemode = models.BooleanField()
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    arguments = models.JSONField(default=dict)
    sealed_arguments = bound(SealedTextField(default="", blank=True), "id", "asked_by_id")
    reason = models.CharField(max_length=500)
    note = models.CharField(max_length=2_000)
    status = models.CharField(
        max_length=16, choices=InstructionStatus, default=InstructionStatus.WAITING
    )
    form_key = models.CharField(max_length=64, unique=True)
    asked_by = models.ForeignKey(_STAFF, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_column="lapses_at")
    decided_by = models.ForeignKey(_STAFF, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision_note = models.CharField(max_length=2_000, default="", blank=True)
    result_id = PublicIdField(default="", blank=True)
    sealed_result = bound(SealedTextField(default="", blank=True), "id", "asked_by_id")
    glass_broken_at = models.DateTimeField(null=True)
    signature = SignatureField(
        *("id", "kind", "task", "subject_id", "merchant_id", "livemode", "amount", "currency"),
        *("arguments", "sealed_arguments", "reason", "status", "asked_by_id", "asked_at"),
        *("decided_by_id", "decided_at", "result_id", "glass_broken_at"),
        in_log=True,
    )

    objects: ClassVar[InstructionQuerySet] = InstructionQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        verbose_name = "instruction"
        indexes = (
            models.Index(fields=["asked_by", "kind", "asked_at"], name="instruction_spent"),
            models.Index(
                fields=["asked_at"],
                name="instruction_waiting",
                condition=Q(status=InstructionStatus.WAITING),
            ),
            models.Index(fields=["task", "amount"], name="instruction_amount_of_task"),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gte=0, amount__lte=MAX_AMOUNT), name="instruction_amount"
            ),
            models.CheckConstraint(
                condition=Q(status__in=InstructionStatus.values), name="instruction_status"
            ),
            models.CheckConstraint(
                condition=Q(decided_by=None)
                | ~Q(decided_by=F("asked_by"))
                | Q(status=InstructionStatus.WITHDRAWN),
                name="instruction_by_two_people",
            ),
        )

    def __str__(self) -> str:
        return self.id

    def status_at(self, now: datetime) -> InstructionStatus:
        """Return the status at that instant: expired as soon as it is due, swept or not."""
        is_late = self.status == InstructionStatus.WAITING and self.expires_at <= now
        return InstructionStatus.EXPIRED if is_late else InstructionStatus(self.status)

    def transition_to(
        self, status: InstructionStatus, *, now: datetime, user_id: int | None
    ) -> None:
        """Decide a locked instruction, saving its other fields too. Raises InstructionDecided.

        `user_id` is who decided; None if no second person was needed, or if it expired.
        """
        if status not in TRANSITIONS[InstructionStatus(self.status)]:
            raise InstructionDecided(status=f"is {self.get_status_display()}")
        self.status = status
        self.decided_by_id, self.decided_at = user_id, now
        self.save(force_update=True)
        if self.kind == InstructionKind.BANK_FILE:
            InstructionFile.objects.filter(instruction=self).delete()


class InstructionFile(models.Model):
    """The file of an instruction, encrypted, and deleted as soon as that is decided."""

    instruction = models.OneToOneField(
        Instruction, on_delete=models.PROTECT, primary_key=True, related_name="file"
    )
    sealed_content = bound(SealedTextField(), "instruction.subject_id")

    def __str__(self) -> str:
        return f"file of {self.instruction_id}"


class SavedView(models.Model):
    """A list and its filters under a name, for its owner or for all staff."""

    name = models.CharField(max_length=60)
    path = models.CharField(max_length=100)
    query = models.CharField(max_length=1_000, default="", blank=True)
    owner = models.ForeignKey(_STAFF, on_delete=models.PROTECT, related_name="+")
    shared = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["owner", "name"], name="saved_view_once"),)

    def __str__(self) -> str:
        return self.name


class StaffAccount(models.Model):
    """What an account of staff has in addition to Django's user.

    `must_change_password`: an older release or the server has shown its first password to someone.
    `was_administrator` stays when the role is removed.
    """

    user = models.OneToOneField(
        _STAFF, on_delete=models.PROTECT, primary_key=True, related_name="staff_account"
    )
    must_change_password = models.BooleanField(default=False)
    development_only = models.BooleanField(default=False)
    was_administrator = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"account of {self.user_id}"
