"""What a delivery can be, and why an endpoint can be switched off."""

from datetime import timedelta

from django.db.models import TextChoices

SWITCH_OFF_AFTER = timedelta(days=5)  # without one success


class DeliveryStatus(TextChoices):
    """`pending` has an attempt ahead of it or under way; the others have none."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELED = "canceled"


class DisabledReason(TextChoices):
    """`gone`: the endpoint answered 410; `failing`: no success for days; or by its owner."""

    GONE = "gone"
    FAILING = "failing"
    REQUESTED = "requested"


class AlertKind(TextChoices):
    """What a merchant is written to about, and staff see."""

    EXHAUSTED = "exhausted"
    GONE = "gone"
    FAILING = "failing"
