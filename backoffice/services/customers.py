"""What staff do for customers, after they have made sure who is calling."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Min, QuerySet

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.errors import IdentityNotProven
from backoffice.models import AuditEntry, AuditOutcome
from backoffice.roles import Right
from backoffice.staff import Staff
from customers.account_changes import AccountChange, CustomerChange, last_unfrozen_at
from customers.models import Customer, CustomerSession, Passkey
from customers.new_proofs import DOUBTED_FOR
from customers.passkey_removal import revoke_passkey
from customers.pin_locks import unlock_pin
from customers.security_alerts import LINK_LIFETIME
from customers.services import freeze, unfreeze
from payments.models import Payment
from payments.statuses import PaymentStatus

LOOKED_BACK = timedelta(days=90)
PAYMENTS_COMPARED = 50
PROOFS_NEEDED = 2
DAY = timedelta(days=1)
MOST_FAILURES_A_DAY = 3
UNLOCK, REMOVE, LET_PAY = PROVEN = ("unlock PIN", "remove passkey", "unfreeze customer")
STOLEN = "account stolen"


@dataclass(frozen=True)
class Identity:
    """What the caller said: the amount and the merchant of a recent payment, and their e-mail."""

    amount: int | None
    merchant: str
    email: str


def unlock(
    *,
    staff: Staff,
    customer_id: str,
    amount: int | None,
    merchant: str,
    email: str,
    now: datetime,
) -> Customer:
    """Lift the lock of a PIN. Raises Forbidden, IdentityNotProven, PinDisabled."""
    action = AuditAction(UNLOCK, Right.UNLOCK_PIN, "customer", customer_id)
    with audited(staff=staff, action=action, now=now) as record:
        before = Customer.objects.one(customer_id)
        proofs = _prove(before, Identity(amount, merchant, email), now)
        record.before = snapshot(before, "pin_failures", "pin_locked_until")
        customer = unlock_pin(customer_id=customer_id, now=now)
        record.after = snapshot(customer, "pin_failures", "pin_locked_until") | {"proofs": proofs}
    return customer


def remove_passkey(
    *,
    staff: Staff,
    passkey_id: int,
    amount: int | None,
    merchant: str,
    email: str,
    reason: str,
    now: datetime,
) -> Passkey:
    """Remove a passkey of a lost device. Raises as `unlock`, and PasskeyNotFound."""
    passkey = Passkey.objects.select_related("customer").get(pk=passkey_id)
    action = AuditAction(REMOVE, Right.REMOVE_PASSKEY, "customer", passkey.customer_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        said = Identity(amount, merchant, email)
        proofs = _prove(passkey.customer, said, now)
        revoke_passkey(passkey_id=passkey_id, now=now)
        record.after = {"passkey": passkey_id, "removed_at": now, "proofs": proofs}
    return passkey


@dataclass(frozen=True)
class Secured:
    """What came of a stolen account: how many sessions have ended and passkeys were removed."""

    customer: Customer
    sessions: int
    passkeys: int


def secure_stolen(*, staff: Staff, customer_id: str, reason: str, now: datetime) -> Secured:
    """Freeze an account that was stolen, end its sessions and remove its passkeys, as one act.

    No one has to prove who they are: it only takes away. Raises Forbidden, CustomerNotFound.
    """
    action = AuditAction(STOLEN, Right.FREEZE, "customer", customer_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        live = CustomerSession.objects.filter(customer_id=customer_id, ended_at=None)
        sessions = live.filter(expires_at__gt=now).count()
        customer = freeze(customer_id=customer_id, actor=staff.actor, cause=reason, now=now)
        passkeys = Passkey.objects.filter(customer=customer, removed_at=None)
        removed = list(passkeys.values_list("pk", flat=True))
        for passkey_id in removed:
            revoke_passkey(passkey_id=passkey_id, now=now)
        record.after = {"frozen_at": now, "sessions": sessions, "passkeys": len(removed)}
    return Secured(customer, sessions, len(removed))


def unfreeze_customer(
    *,
    staff: Staff,
    customer_id: str,
    amount: int | None,
    merchant: str,
    email: str,
    reason: str,
    now: datetime,
) -> Customer:
    """Let a frozen customer pay again. Raises as `unlock` for one who has to prove who they are.

    Raises CustomerErased.
    """
    action = AuditAction(LET_PAY, Right.UNFREEZE, "customer", customer_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        before = Customer.objects.locked(customer_id)
        record.before = snapshot(before, "frozen_at")
        said = Identity(amount, merchant, email)
        is_asked = is_asked_to_unfreeze(before, now)
        proofs = _prove(before, said, now) if is_asked else 0
        customer = unfreeze(customer_id=customer_id, actor=staff.actor, now=now)
        record.after = snapshot(customer, "frozen_at") | {"proofs": proofs}
    return customer


def is_asked_to_unfreeze(customer: Customer, now: datetime) -> bool:
    """Return whether a frozen customer has to prove who they are, and there is enough to ask."""
    return is_frozen_for_theft(customer) and _recent_payments(customer, now).exists()


def is_frozen_for_theft(customer: Customer) -> bool:
    """Return whether the customer has stopped the wallet, or staff by Account stolen.

    Or the passkeys went since: who has taken over the number would have any of these undone. One
    that was frozen again is still frozen for what was said before.
    """
    if customer.frozen_at is None:
        return False
    first = _first_frozen_at(customer, customer.frozen_at)
    passkeys = Passkey.objects.filter(customer=customer, removed_at__gte=first)
    by_owner = _freezes(customer).filter(actor=f"customer:{customer.pk}")
    stolen = AuditEntry.objects.filter(
        subject_id=customer.pk, act=STOLEN, outcome=AuditOutcome.DONE, at__gte=first
    )
    return passkeys.exists() or by_owner.exists() or stolen.exists()


def _freezes(customer: Customer) -> QuerySet[CustomerChange]:
    """Return how the customer was frozen since staff last let them pay."""
    since = last_unfrozen_at(customer.pk) or customer.created_at
    return customer.changes.filter(change=AccountChange.FROZEN, at__gte=since)


def _first_frozen_at(customer: Customer, frozen_at: datetime) -> datetime:
    """Return when the freeze that stands began: one that was frozen again is frozen since then."""
    first: datetime | None = _freezes(customer).aggregate(at=Min("at"))["at"]
    return first or frozen_at


def reveal(*, staff: Staff, customer_id: str, reason: str, now: datetime) -> str:
    """Return a customer's full phone number and e-mail address.

    Raises Forbidden, ActionLimitReached.
    """
    action = AuditAction(
        "reveal contact", Right.REVEAL, "customer", customer_id, reason, limited=True
    )
    with audited(staff=staff, action=action, now=now):
        customer = Customer.objects.one(customer_id)
    return " ".join(filter(None, [customer.phone, customer.email]))


def _prove(customer: Customer, identity: Identity, now: datetime) -> int:
    """Count what the caller got right. Raises IdentityNotProven for less than two things.

    The acts ask the same questions, so that wrong answers to one are counted for all.
    """
    failures = AuditEntry.objects.filter(
        subject_id=customer.pk, act__in=PROVEN, outcome=AuditOutcome.REFUSED, at__gt=now - DAY
    )
    if failures.count() >= MOST_FAILURES_A_DAY:
        raise IdentityNotProven("Too many wrong answers today: try again tomorrow.")
    proofs = _payment_proofs(customer, identity, now)
    if customer.email and identity.email.strip().lower() == customer.email.lower():
        proofs += 1
    if proofs < PROOFS_NEEDED:
        raise IdentityNotProven
    return proofs


def _payment_proofs(customer: Customer, identity: Identity, now: datetime) -> int:
    """The amount and the merchant count together only if they are of the same payment."""
    recent = _recent_payments(customer, now).select_related("merchant")
    named = identity.merchant.strip().lower()
    best = 0
    for payment in recent.order_by("-pk")[:PAYMENTS_COMPARED]:
        right_merchant = len(named) > 2 and named in payment.merchant.name.lower()
        best = max(best, int(payment.amount == identity.amount) + int(right_merchant))
    return best


def _recent_payments(customer: Customer, now: datetime) -> QuerySet[Payment]:
    """Return the payments that answer a question: none that a thief of the number may have made.

    They may have made one so small that it takes no PIN, and those since a day before the wallet
    was frozen, or before the PIN or passkey that is new was made. To the frozen one is new that the
    customer could still deny: where no payment is left, staff see a document.
    """
    until, changed_at, new_for = now, customer.proof_changed_at, DOUBTED_FOR
    if customer.frozen_at is not None:
        until, new_for = _first_frozen_at(customer, customer.frozen_at) - DAY, LINK_LIFETIME
    if changed_at and changed_at > until - new_for:
        until = min(until, changed_at - DAY)
    return Payment.objects.filter(
        customer=customer,
        status=PaymentStatus.COMPLETED,
        amount__gt=settings.PIN_ABOVE,
        created_at__gt=now - LOOKED_BACK,
        completed_at__lt=until,
    )
