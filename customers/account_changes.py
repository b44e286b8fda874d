"""Changes to a customer's account as a whole: freezing, unfreezing, erasure, e-mail address."""

from datetime import datetime

from django.db import models
from django.db.models import Q

CAUSE_CHARACTERS = 255


class AccountChange(models.TextChoices):
    """What can be done to a customer's account."""

    FROZEN = "frozen"
    UNFROZEN = "unfrozen"
    ERASED = "erased"
    EMAIL_SET = "email_set"
    EMAIL_REMOVED = "email_removed"


class CustomerChange(models.Model):
    """One change of a customer's account: what, when, by whom and why. Never changed."""

    customer = models.ForeignKey(
        "customers.Customer", on_delete=models.PROTECT, related_name="changes"
    )
    change = models.CharField(max_length=16, choices=AccountChange)
    at = models.DateTimeField()
    actor = models.CharField(max_length=100)
    cause = models.CharField(max_length=CAUSE_CHARACTERS, default="", blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(change__in=AccountChange.values), name="customer_change_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.customer_id}: {self.change}"


def record_change(
    customer_id: str, change: AccountChange, *, actor: str, now: datetime, cause: str = ""
) -> None:
    """Record what was done to an account, in the caller's transaction."""
    CustomerChange.objects.create(
        customer_id=customer_id,
        change=change,
        actor=actor,
        cause=cause[:CAUSE_CHARACTERS],
        at=now,
    )


def last_unfrozen_at(customer_id: str) -> datetime | None:
    """Return when staff last unfroze a customer."""
    return _last_at(customer_id, AccountChange.UNFROZEN)


def was_frozen_because(cause: str, customer_id: str) -> bool:
    """Return whether a customer was frozen for this cause since staff last unfroze the customer."""
    either = Q(change=AccountChange.FROZEN, cause=cause) | Q(change=AccountChange.UNFROZEN)
    last = CustomerChange.objects.filter(either, customer_id=customer_id).order_by("-pk").first()
    return last is not None and last.change == AccountChange.FROZEN


def email_set_at(customer_id: str) -> datetime | None:
    """Return when the customer last confirmed an e-mail address."""
    return _last_at(customer_id, AccountChange.EMAIL_SET)


def _last_at(customer_id: str, change: AccountChange) -> datetime | None:
    changes = CustomerChange.objects.filter(customer_id=customer_id, change=change)
    return changes.order_by("-at").values_list("at", flat=True).first()
