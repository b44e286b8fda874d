"""E-mails and text messages: planned in the transaction of their cause, sent when due."""

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from core.ids import PublicIdField


class Channel(models.TextChoices):
    EMAIL = "email"
    SMS = "sms"


class MessageStatus(models.TextChoices):
    PLANNED = "planned"
    SENDING = "sending"
    SENT = "sent"
    REFUSED = "refused"
    FAILED = "failed"
    NOT_NEEDED = "not_needed"


S = MessageStatus
NOT_SENT = frozenset({S.REFUSED, S.FAILED})


class MessageQuerySet(models.QuerySet["Message"]):
    def due(self, now: datetime) -> Self:
        """Keep those to send now, including repeatable ones that a crash interrupted."""
        interrupted = Q(repeatable=True, lease_until__lte=now)
        return self.filter(
            Q(status=S.PLANNED) | interrupted, status__in=[S.PLANNED, S.SENDING], due_at__lte=now
        )

    def unsent(self, now: datetime) -> Self:
        """Keep those that wait for staff: refused, given up, or interrupted while being sent."""
        return self.filter(
            ~Q(status=S.SENDING) | Q(lease_until__lte=now),
            status__in=[*NOT_SENT, S.SENDING],
            due_at__lte=now,
        )


class Message(models.Model):
    """An e-mail or a text message to one person, and what became of it.

    It is claimed before it is sent, so that it goes out at most once: one that stays in `sending`
    after `lease_until` was interrupted by a crash, and may or may not have arrived. It waits for
    staff, unless it is `repeatable`. `text` is empty if the room that planned it writes it when it
    is due (`MESSAGE_WRITERS`), `language` if the reader's is unknown. `about` is the id of the
    object it concerns, `merchant_id` the merchant whose test it may be; there is at most one
    message per `key`.
    """

    id = PublicIdField(primary_key=True)
    channel = models.CharField(max_length=8, choices=Channel)
    kind = models.CharField(max_length=32)
    recipient = models.CharField(max_length=254)
    language = models.CharField(max_length=8, default="", blank=True)
    subject = models.CharField(max_length=200, default="", blank=True)
    text = models.TextField(default="", blank=True)
    about = PublicIdField(db_index=True)
    merchant_id = PublicIdField(default="", blank=True)
    livemode = models.BooleanField()
    key = models.CharField(max_length=400, unique=True)
    repeatable = models.BooleanField(default=False)
    status = models.CharField(max_length=16, choices=MessageStatus, default=MessageStatus.PLANNED)
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=200, default="", blank=True)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)

    objects: ClassVar[MessageQuerySet] = MessageQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        indexes = (models.Index(fields=["status", "due_at"], name="message_due"),)
        constraints = (
            models.CheckConstraint(
                condition=Q(status__in=MessageStatus.values), name="message_status"
            ),
            models.CheckConstraint(
                condition=Q(status=S.SENT, sent_at__isnull=False)
                | (~Q(status=S.SENT) & Q(sent_at=None)),
                name="message_sent_at",
            ),
            models.CheckConstraint(
                condition=~Q(status=S.SENDING) | Q(lease_until__isnull=False), name="message_lease"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} about {self.about}"

    def waits_for_staff(self, now: datetime) -> bool:
        """Return whether it could not be sent, and no attempt is under way or planned."""
        return self.status in NOT_SENT or self.is_interrupted(now)

    def is_interrupted(self, now: datetime) -> bool:
        """Return whether a crash has interrupted the attempt, whose outcome is unknown."""
        is_over = self.lease_until is not None and self.lease_until <= now
        return self.status == S.SENDING and is_over


class Outage(models.Model):
    """The mail server or the SMS gateway, while it cannot be reached: one row per channel.

    From the first failed attempt until a message goes out again, no attempt is made before
    `retry_at`. `reason` is for staff, and holds neither a secret nor a recipient.
    """

    channel = models.CharField(max_length=8, choices=Channel, primary_key=True)
    since = models.DateTimeField()
    failed_at = models.DateTimeField()
    retry_at = models.DateTimeField()
    failures = models.PositiveIntegerField()
    reason = models.CharField(max_length=200)

    def __str__(self) -> str:
        return f"{self.channel} since {self.since}: {self.reason}"
