"""The statuses of a delivery, and why an endpoint can be switched off."""

from datetime import timedelta

from django.db.models import TextChoices

SWITCH_OFF_AFTER = timedelta(days=5)  # without one success
ALARM_AFTER = timedelta(minutes=5)  # of failures in a row


class DeliveryStatus(TextChoices):
    """`pending` has an attempt scheduled or under way; the others have ended."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELED = "canceled"


class DisabledReason(TextChoices):
    """`gone`: the endpoint answered 410; `failing`: no success for days; or by its owner."""

    GONE = "gone"
    FAILING = "failing"
    REQUESTED = "requested"


class OutageEnd(TextChoices):
    """How an outage of an endpoint ended."""

    ACCEPTED = "accepted"
    MOVED = "moved"
    SWITCHED_ON = "switched_on"


class AlertKind(TextChoices):
    """What a merchant is written to about."""

    UNHEALTHY = "unhealthy"
    EXHAUSTED = "exhausted"
    GONE = "gone"
    FAILING = "failing"
