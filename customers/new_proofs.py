"""How long a PIN that the phone alone has set, or a passkey that was added, counts as new."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Case, F, Value, When

from customers.models import Customer

DOUBTED_FOR = timedelta(days=1)  # as to who it is, however much a new proof may pay


def is_recent(changed_at: datetime | None, now: datetime) -> bool:
    """Return whether a change is so recent that little may be paid on the strength of it."""
    return changed_at is not None and changed_at > _window_start(now)


def doubtful_until(customer: Customer, now: datetime) -> datetime | None:
    """Return until when a PIN or passkey is so new that a thief of the number may have made it.

    None for a customer who is just as new, or if an older passkey has allowed it.
    """
    return None if customer.created_at > now - DOUBTED_FOR else new_until(customer, now)


def new_until(customer: Customer, now: datetime) -> datetime | None:
    """Return until when a PIN or passkey counts as new, even a newcomer's.

    None if an older passkey has allowed it.
    """
    changed_at, since = customer.proof_changed_at, now - DOUBTED_FOR
    if changed_at is None or changed_at <= since:
        return None
    if not customer.livemode or customer.passkeys.usable().filter(created_at__lte=since).exists():
        return None
    return changed_at + DOUBTED_FOR


def note_new_proof(customer_id: str, *, now: datetime) -> None:
    """Record that a PIN was set or reset, or a passkey added, in the caller's transaction.

    What was paid since an earlier change that is still recent keeps counting: otherwise each change
    would allow the whole amount once more.
    """
    is_still_recent = When(proof_changed_at__gt=_window_start(now), then=F("new_proof_amount"))
    Customer.objects.filter(pk=customer_id).update(
        new_proof_amount=Case(is_still_recent, default=Value(0)),
        proof_changed_at=now,
        updated_at=now,
    )


def _window_start(now: datetime) -> datetime:
    return now - timedelta(hours=settings.RISK_NEW_PROOF_HOURS)
