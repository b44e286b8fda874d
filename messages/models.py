"""What the service writes to people: planned with the facts, sent when due."""

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


class MessageQuerySet(models.QuerySet["Message"]):
    def due(self, now: datetime) -> Self:
        """Those to be sent now, and of those a crash cut off the ones that may go out twice."""
        cut_off = Q(repeatable=True, lease_until__lte=now)
        return self.filter(
            Q(status=S.PLANNED) | cut_off, status__in=[S.PLANNED, S.SENDING], due_at__lte=now
        )

    def unsent(self, now: datetime) -> Self:
        """Those that wait for staff: refused, given up, or cut off while they were being sent."""
        return self.filter(
            ~Q(status=S.SENDING) | Q(lease_until__lte=now),
            status__in=[S.REFUSED, S.FAILED, S.SENDING],
            due_at__lte=now,
        )


class Message(models.Model):
    """An e-mail or a text message to one person, and what became of it.

    It is taken before it is sent, so that it goes out once at most: one that stays in `sending`
    after `lease_until` was cut off by a crash, and nobody knows whether it arrived. It waits for
    staff, unless it is `repeatable`. `text` is empty where the room that planned it writes it when
    it is due (`MESSAGE_WRITERS`), `language` where nobody knows the reader's. `about` is the id of
    the object that it tells of; of one `key` there is one message.
    """

    id = PublicIdField(primary_key=True)
    channel = models.CharField(max_length=8, choices=Channel)
    kind = models.CharField(max_length=32)
    recipient = models.CharField(max_length=254)
    language = models.CharField(max_length=8, default="", blank=True)
    subject = models.CharField(max_length=200, default="", blank=True)
    text = models.TextField(default="", blank=True)
    about = PublicIdField(db_index=True)
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

    def is_cut_off(self, now: datetime) -> bool:
        """Return whether a crash has cut off the attempt, so that nobody knows its outcome."""
        is_over = self.lease_until is not None and self.lease_until <= now
        return self.status == S.SENDING and is_over
