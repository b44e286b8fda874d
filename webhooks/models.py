"""Events, the endpoints that subscribe to them, and their deliveries."""

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q, Value

from core.ids import PublicIdField
from core.limits import MAX_TEXT, MAX_URL
from core.sealed import SealedTextField, bound
from merchants.scoping import CallerScoped
from outbound.results import EXCERPT_CHARACTERS
from webhooks.errors import DeliveryNotFound, WebhookNotFound
from webhooks.event_models import Event as Event
from webhooks.event_models import EventQuerySet as EventQuerySet
from webhooks.event_models import FeedEntry as FeedEntry
from webhooks.event_models import UnnumberedEvent as UnnumberedEvent
from webhooks.statuses import DeliveryStatus, DisabledReason, OutageEnd

MAX_ERROR = 200
_PENDING = Q(status=DeliveryStatus.PENDING)


class WebhookQuerySet(CallerScoped["Webhook"]):
    missing = WebhookNotFound

    def not_deleted(self) -> Self:
        """Leave out those that their merchant has deleted."""
        return self.filter(deleted_at=None)

    def switched_on(self) -> Self:
        return self.not_deleted().filter(is_active=True)

    def failing(self) -> Self:
        """Those switched on that have failed last, the longest first."""
        return self.switched_on().filter(failing_since__isnull=False).order_by("failing_since")


class Webhook(models.Model):
    """An endpoint of a merchant. Secrets are encrypted; the previous one signs until it expires.

    `url_set_…` is who registered or last moved it, and when; nothing if that was not recorded.

    The dispatcher maintains `failures` (in a row) to `last_success_at`: the endpoint's health, and
    until when it is paused; `alarmed_at` is when its merchant was told. `recover_…` is a request to
    resend failed deliveries: created since `recover_since`, and failed by `recover_until`.
    """

    id = PublicIdField(primary_key=True)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT)
    livemode = models.BooleanField()
    url = models.CharField(max_length=MAX_URL)
    url_set_at = models.DateTimeField(null=True)
    url_set_by = models.CharField(max_length=100, null=True)  # noqa: DJ001  # older rows have none
    events = models.JSONField()
    description = models.CharField(max_length=MAX_TEXT, default="", blank=True)
    is_active = models.BooleanField(default=True)
    disabled_reason = models.CharField(
        max_length=16, choices=DisabledReason, default="", blank=True
    )
    secret = bound(SealedTextField(), "id")
    secret_hint = models.CharField(max_length=16)
    secret_created_at = models.DateTimeField()
    previous_secret = bound(SealedTextField(default="", blank=True), "id", like="secret")
    previous_secret_expires_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)

    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=MAX_ERROR, default="", blank=True)
    alarmed_at = models.DateTimeField(null=True)
    paused_until = models.DateTimeField(null=True)
    is_slow = models.BooleanField(default=False)
    last_success_at = models.DateTimeField(null=True)
    recover_since = models.DateTimeField(null=True)
    recover_until = models.DateTimeField(null=True)

    objects: ClassVar[WebhookQuerySet] = WebhookQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        indexes = (
            models.Index(
                fields=["merchant", "livemode", "-created_at", "-id"], name="webhook_newest"
            ),
            models.Index(
                fields=["failing_since"],
                name="webhook_failing",
                condition=Q(failing_since__isnull=False, deleted_at=None),
            ),
            models.Index(
                fields=["recover_since"],
                name="webhook_recovering",
                condition=Q(recover_since__isnull=False),
            ),
            models.Index(
                fields=["livemode"],
                name="webhook_switched_off",
                condition=Q(disabled_reason__in=["gone", "failing"], deleted_at=None),
            ),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(is_active=True, disabled_reason="")
                | Q(is_active=False, disabled_reason__in=DisabledReason.values),
                name="webhook_disabled_for_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(previous_secret="", previous_secret_expires_at=None)
                | (~Q(previous_secret="") & Q(previous_secret_expires_at__isnull=False)),
                name="webhook_previous_secret_expires",
            ),
        )

    def __str__(self) -> str:
        return f"{self.url} {self.id}"


class EndpointOutage(models.Model):
    """A time in which an endpoint accepted nothing, written when it ended. Never changed.

    From its first failure, `since`, to `until`, when it accepted an event, was moved or was
    switched on again: `failures` attempts in a row, and why the last one failed. `merchant` is that
    of the endpoint if the outage was so long that its owner was told, else null.
    """

    webhook = models.ForeignKey(
        Webhook, on_delete=models.PROTECT, related_name="outages", db_index=False
    )
    # No constraint: its check would lock the merchant after the endpoint.
    merchant = models.ForeignKey(
        "merchants.Merchant",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
        null=True,
    )
    since = models.DateTimeField()
    until = models.DateTimeField()
    failures = models.PositiveIntegerField()
    last_error = models.CharField(max_length=MAX_ERROR, default="", blank=True)
    ended_by = models.CharField(max_length=11, choices=OutageEnd)

    class Meta:
        indexes = (
            models.Index(fields=["webhook", "-until"], name="outage_newest"),
            models.Index(
                fields=["merchant", "-until", "-id"],
                name="outage_newest_told",
                condition=Q(merchant__isnull=False),
            ),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(until__gt=models.F("since")), name="outage_ends_after_it_began"
            ),
        )

    def __str__(self) -> str:
        return f"{self.webhook_id}: {self.since} to {self.until}"


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def one(self, pk: str) -> "Delivery":
        """Return the row. Raises DeliveryNotFound."""
        found = self.filter(pk=pk).first()
        if found is None:
            raise DeliveryNotFound()
        return found

    def with_log(self) -> Self:
        """Add the event and the attempts, as the log of deliveries shows them."""
        return self.select_related("event").prefetch_related("attempts")

    def pending(self) -> Self:
        """Those with an attempt scheduled or under way: none of them has ended.

        Of the indexes of these, only that of an endpoint's next attempts says so.
        """
        return self.filter(ended_at=None)

    def due(self, now: datetime | Value) -> Self:
        """Those whose next attempt is due at any endpoint, in the order in which they fell due.

        Only what is pending has a next attempt, and only the index by its time says so.
        """
        return self.filter(next_attempt_at__lte=now).order_by("next_attempt_at", "id")

    def exhausted(self) -> Self:
        """Those that have failed at every attempt of the schedule."""
        return self.filter(status=DeliveryStatus.FAILED)


class Delivery(models.Model):
    """One event on its way to one endpoint.

    While it is leased, `lease_token` is the holder's and `next_attempt_at` is the end of the lease:
    if the holder dies, the delivery falls due again by itself. `round_attempts` counts the
    scheduled ones of the present round, which decide on the next wait; `attempt_count` counts all.
    """

    id = PublicIdField(primary_key=True)
    event = models.ForeignKey(
        Event, on_delete=models.PROTECT, related_name="deliveries", db_index=False
    )
    webhook = models.ForeignKey(
        Webhook, on_delete=models.PROTECT, related_name="deliveries", db_index=False
    )
    status = models.CharField(max_length=9, choices=DeliveryStatus, default=DeliveryStatus.PENDING)
    next_attempt_at = models.DateTimeField(null=True)
    lease_token = models.CharField(max_length=32, default="", blank=True)
    attempt_count = models.PositiveIntegerField(default=0)
    round_attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    objects: ClassVar[DeliveryQuerySet] = DeliveryQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        indexes = (
            # What is pending has a next attempt, and has not ended. Each index of it says that in
            # other words, as do the statements for it: none is read for another's purpose.
            models.Index(
                fields=["webhook", "next_attempt_at", "id"],
                name="delivery_due_at_endpoint",
                condition=Q(ended_at=None),
            ),
            models.Index(
                fields=["next_attempt_at", "webhook"],
                name="delivery_next_due",
                condition=Q(next_attempt_at__isnull=False),
            ),
            models.Index(fields=["webhook"], name="delivery_leased", condition=~Q(lease_token="")),
            models.Index(fields=["webhook", "-created_at", "-id"], name="delivery_newest"),
            models.Index(
                fields=["webhook", "created_at", "id"], name="delivery_pending", condition=_PENDING
            ),
            models.Index(
                fields=["webhook", "created_at", "id"],
                name="delivery_failed",
                condition=Q(status=DeliveryStatus.FAILED),
            ),
            models.Index(
                fields=["webhook", "created_at", "id"],
                name="delivery_canceled",
                condition=Q(status=DeliveryStatus.CANCELED),
            ),
        )
        constraints = (
            models.UniqueConstraint(fields=["event", "webhook"], name="delivery_once_per_endpoint"),
            models.CheckConstraint(
                condition=Q(status__in=DeliveryStatus.values), name="delivery_status_known"
            ),
            models.CheckConstraint(
                condition=(_PENDING & Q(next_attempt_at__isnull=False, ended_at=None))
                | (~_PENDING & Q(next_attempt_at=None, ended_at__isnull=False, lease_token="")),
                name="delivery_pending_has_a_next_attempt",
            ),
        )

    def __str__(self) -> str:
        return f"{self.event_id} to {self.webhook_id}: {self.status}"

    @property
    def next_attempt_if_known(self) -> datetime | None:
        """The instant of the next attempt, if it is known: not while one is under way."""
        return None if self.lease_token else self.next_attempt_at


class Attempt(models.Model):
    """The result of one request to an endpoint. No status if no complete response was read."""

    delivery = models.ForeignKey(
        Delivery, on_delete=models.CASCADE, related_name="attempts", db_index=False
    )
    number = models.PositiveIntegerField()
    attempted_at = models.DateTimeField()
    ms = models.PositiveIntegerField()
    status = models.PositiveSmallIntegerField(null=True)
    excerpt = models.CharField(max_length=EXCERPT_CHARACTERS, default="", blank=True)
    error = models.CharField(max_length=MAX_ERROR, default="", blank=True)

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=["delivery", "number"], name="attempt_numbered"),
        )

    def __str__(self) -> str:
        return f"{self.delivery_id} no. {self.number}: {self.status or self.error}"
