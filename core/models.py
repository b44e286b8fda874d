"""Tables that every resource shares."""

from django.db import models
from django.db.models import Q

from core.ids import PublicIdField
from core.sealed import SealedBinaryField, SealedTextField, bound

KEY_LENGTH = 255


class IdempotencyKey(models.Model):
    """The response to a request under a key, replayed byte for byte when the request is repeated.

    `scope` is who asked (merchant and mode), `fingerprint` the SHA-256 of method, path and body.
    `status` and `body` are empty only inside the transaction that does the work.
    """

    scope = models.CharField(max_length=64)
    key = models.CharField(max_length=KEY_LENGTH)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = bound(SealedBinaryField(null=True), "scope", "key", "fingerprint")
    location = models.CharField(max_length=255, default="")
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["scope", "key"], name="idempotency_key_once"),
        )

    def __str__(self) -> str:
        return f"{self.scope} {self.key}"


class CountEntry(models.Model):
    """A change in the number of rows that a list has for one owner. A key's entries add up to it.

    Triggers insert an entry with each new row and each change of its status, in its transaction, so
    the sum is exact and no writer waits for another. A task folds new entries into the one sum
    (`is_sum`) of their key. `owner` is a merchant, or an endpoint; an endpoint has one mode, so
    `livemode` means nothing there. `status` and `kind` are empty if the list has none. `day` is the
    row's own, in UTC, if the list is also counted by day and the entry is not a sum.
    """

    list = models.CharField(max_length=16)
    owner = PublicIdField()
    livemode = models.BooleanField()
    status = models.CharField(max_length=16)
    kind = models.CharField(max_length=40)
    change = models.BigIntegerField()
    is_sum = models.BooleanField()
    day = models.CharField(max_length=10, null=True)  # noqa: DJ001  # the previous release has none

    class Meta:
        indexes = (
            models.Index(fields=["owner", "list"], name="count_entry_owner"),
            models.Index(fields=["id"], name="count_entry_new", condition=Q(is_sum=False)),
        )
        constraints = (
            models.UniqueConstraint(
                fields=["owner", "list", "livemode", "status", "kind"],
                name="count_entry_one_sum",
                condition=Q(is_sum=True),
            ),
        )

    def __str__(self) -> str:
        return f"{self.list} of {self.owner}: {self.change:+}"


class PeriodCount(models.Model):
    """How many rows of a list fall in one day, month or year, by the key of their entries.

    `period` is `2026`, `2026-07` or `2026-07-14`, in UTC. When an entry with a day is deleted,
    having been added to the sum of its key, a trigger adds it to its day, month and year: it is
    always counted exactly once.
    """

    list = models.CharField(max_length=16)
    owner = PublicIdField()
    livemode = models.BooleanField()
    status = models.CharField(max_length=16)
    kind = models.CharField(max_length=40)
    period = models.CharField(max_length=10)
    number = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["owner", "list", "livemode", "period", "status", "kind"],
                name="period_count_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.list} of {self.owner} in {self.period}: {self.number}"


class ListTotal(models.Model):
    """How many rows of a list all owners together have, by mode, status and kind.

    The sums of all owners add up to it: when an entry is deleted, having been added to the sum of
    its key, a trigger adds it here, too. Only the task that folds entries waits for this row.
    """

    list = models.CharField(max_length=16)
    livemode = models.BooleanField()
    status = models.CharField(max_length=16)
    kind = models.CharField(max_length=40)
    number = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["list", "livemode", "status", "kind"], name="list_total_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.list}: {self.number}"


class Quota(models.Model):
    """How often something was done within a window: see `core.attempt_limits`."""

    key = models.CharField(max_length=100, primary_key=True)
    used = models.PositiveIntegerField(default=0)
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.key}: {self.used}"


class TurnMark(models.Model):
    """How far periodic work has come in time, in a single row: see `core.clock_check`.

    `at` is roughly the instant of the last turn. `leapt_at` is the first reading that was too far
    from it and waits to be confirmed. The last refusal is kept for monitoring, and its reason until
    the time is accepted after a leap.
    """

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY)
    at = models.DateTimeField()
    leapt_at = models.DateTimeField(null=True)
    refused_at = models.DateTimeField(null=True)
    refusal = models.CharField(max_length=255, default="", blank=True)

    class Meta:
        constraints = (models.CheckConstraint(condition=Q(id=1), name="turn_mark_only_one"),)

    def __str__(self) -> str:
        return f"turns until {self.at}"


class KeyPurpose(models.TextChoices):
    """Which stored data a secret of the environment protects."""

    ENCRYPTION = "encryption", "ENCRYPTION_KEY"
    PEPPER = "pepper", "PIN_PEPPER"
    LEDGER = "ledger", "LEDGER_KEY"


class KeyInUse(models.Model):
    """A key that stored secrets may need, by its id: see `core.key_register`."""

    purpose = models.CharField(max_length=16, choices=KeyPurpose)
    key_id = models.CharField(max_length=16)
    since = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["purpose", "key_id"], name="key_in_use_once"),
        )

    def __str__(self) -> str:
        return f"{self.get_purpose_display()} {self.key_id}"


class AddressKey(models.Model):
    """The key from which secret parts of durable addresses derive: see `core.address_keys`."""

    name = models.CharField(max_length=64, primary_key=True)
    sealed_key = bound(SealedTextField(), "name")

    def __str__(self) -> str:
        return self.name


class TaskRun(models.Model):
    """A periodic task's last success and failure, and its lease while it runs: `core.task_runs`."""

    name = models.CharField(max_length=64, primary_key=True)
    succeeded_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class ProcessMark(models.Model):
    """The heartbeat of a background process, with the errors it has logged since it started."""

    id = models.CharField(max_length=128, primary_key=True)
    kind = models.CharField(max_length=16)
    seen_at = models.DateTimeField()
    errors = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.id
