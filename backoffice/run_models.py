"""Background work of staff: webhooks to resend, and exports."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.ids import PublicIdField

_STAFF = settings.AUTH_USER_MODEL


class ResendRun(models.Model):
    """Deliveries to resend in the background: those that match a filter, by id.

    `lookups` is the filter; ids up to `through_id` are included, those up to `after_id` are done.
    """

    id = PublicIdField(primary_key=True)
    lookups = models.JSONField()
    through_id = PublicIdField()
    after_id = PublicIdField(default="", blank=True)
    expected_count = models.PositiveIntegerField()
    sent_count = models.PositiveIntegerField(default=0)
    skipped_count = models.PositiveIntegerField(default=0)
    asked_by = models.ForeignKey(_STAFF, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "resending"
        indexes = (
            models.Index(
                fields=["created_at"], name="resend_run_open", condition=Q(finished_at=None)
            ),
        )

    def __str__(self) -> str:
        return self.id


class ExportForm(models.TextChoices):
    CSV = "csv", "CSV"
    XLSX = "xlsx", "Excel"
    PDF = "pdf", "PDF"


class ExportRun(models.Model):
    """A file prepared in the background, and kept for a while for its requester.

    `resource` is the label of a model, `query` the filters of its list, or the id of a statement.
    The worker that holds the lease prepares it; if it dies, another starts over. `row_count` grows
    meanwhile. `error` explains why there will be no file.
    """

    id = PublicIdField(primary_key=True)
    resource = models.CharField(max_length=64)
    query = models.TextField(default="", blank=True)
    form = models.CharField(max_length=4, choices=ExportForm)
    name = models.CharField(max_length=120)
    asked_by = models.ForeignKey(_STAFF, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    row_count = models.PositiveIntegerField(default=0)
    byte_count = models.PositiveBigIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        verbose_name = "export"
        indexes = (
            models.Index(
                fields=["created_at"], name="export_run_open", condition=Q(finished_at=None)
            ),
            models.Index(fields=["asked_by", "id"], name="export_run_asked_by"),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def state(self) -> str:
        """`pending` during preparation, then `ready` or `failed`."""
        if self.finished_at is None:
            return "pending"
        return "failed" if self.error else "ready"


class ExportPart(models.Model):
    """A piece of the file of an export."""

    run = models.ForeignKey(ExportRun, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["run", "number"], name="export_part_once"),)

    def __str__(self) -> str:
        return f"{self.run_id}, part {self.number}"
