"""What staff do for customers, once they have made sure who is calling."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Min, QuerySet

from backoffice.audit import LET_PAY, PROVEN, UNLOCK, AuditAction, audited, snapshot
from backoffice.errors import Forbidden, IdentityNotProven, InstructionDecided
from backoffice.models import AuditEntry, AuditOutcome, Instruction
from backoffice.roles import Right
from backoffice.services.merchant_names import is_named
from backoffice.staff import Staff
from customers.account_changes import AccountChange, CustomerChange, email_set_at, last_unfrozen_at
from customers.errors import PasskeyNotFound
from customers.models import Customer, CustomerSession, Passkey
from customers.new_proofs import DOUBTED_FOR
from customers.passkey_removal import revoke_passkey
from customers.pin_locks import unlock_pin
from customers.security_alerts import LINK_LIFETIME
from customers.services import forget_new_email, freeze, unfreeze
from merchants.callers import Caller
from payments.models import Payment
from payments.statuses import PaymentStatus

LOOKED_BACK = timedelta(days=90)
PAYMENTS_COMPARED = 50
PROOFS_NEEDED = 2
DAY = timedelta(days=1)
MOST_FAILURES_A_DAY = 3
STOLEN = "account stolen"
ON_FILE = "the one on file"


@dataclass(frozen=True)
class Identity:
    """What the caller named: the amount and merchant of a recent payment, their e-mail address."""

    amount: int | None
    merchant: str
    email: str


def unlock(
    *, staff: Staff, customer_id: str, amount: int | None, merchant: str, email: str, now: datetime
) -> Customer:
    """Unlock a PIN. Raises Forbidden, IdentityNotProven, PinDisabled."""
    action = AuditAction(UNLOCK, Right.UNLOCK_PIN, "customer", customer_id)
    with audited(staff=staff, action=action, now=now) as record:
        before = Customer.objects.one(customer_id)
        proofs = _prove(before, Identity(amount, merchant, email), now)
        record.before = snapshot(before, "pin_failures", "pin_locked_until")
        customer = unlock_pin(customer_id=customer_id, now=now)
        record.after = snapshot(customer, "pin_failures", "pin_locked_until") | {"proofs": proofs}
    return customer


def named_by_caller(customer: Customer, identity: Identity) -> dict[str, Any]:
    """Return the caller's answers as arguments of an instruction, for the approver to read.

    Not the e-mail address itself: instructions outlive the erasure of a person.
    """
    answers: dict[str, Any] = {}
    if identity.amount is not None:
        answers["caller_named_amount"] = identity.amount
    if identity.merchant:
        answers["caller_named_merchant"] = identity.merchant
    if identity.email:
        answers["caller_named_email"] = ON_FILE if _is_email(customer, identity) else "another one"
    return answers


def remove_passkey(instruction: Instruction, caller: Caller, now: datetime) -> None:
    """Remove the passkey of a lost device. Raises IdentityNotProven, PasskeyNotFound."""
    passkey_id = instruction.arguments["passkey_id"]
    _prove_again(instruction, now)
    if not Passkey.objects.filter(pk=passkey_id, customer_id=instruction.subject_id).exists():
        raise PasskeyNotFound
    revoke_passkey(passkey_id=passkey_id, now=now)


@dataclass(frozen=True)
class Secured:
    """The result of securing a stolen account: how many sessions ended, and what was removed."""

    customer: Customer
    sessions: int
    passkeys: int
    has_removed_email: bool


def secure_stolen(*, staff: Staff, customer_id: str, reason: str, now: datetime) -> Secured:
    """Freeze a stolen account, end its sessions and remove its passkeys, in one act.

    An e-mail address that the customer could still deny is removed too, as it may be the thief's.

    The caller need not prove who they are, because this only takes away. Raises Forbidden,
    CustomerNotFound.
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
        since = now - LINK_LIFETIME
        is_gone = forget_new_email(customer, since=since, actor=staff.actor, cause=reason, now=now)
        record.after = {"frozen_at": now, "sessions": sessions, "passkeys": len(removed)}
        record.after |= {"email_removed": is_gone}
    return Secured(customer, sessions, len(removed), is_gone)


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
    """Unfreeze a customer. Raises as `unlock` if the caller has to prove who they are.

    Raises CustomerErased, and Forbidden if it `needs_second_person`.
    """
    action = AuditAction(LET_PAY, Right.UNFREEZE, "customer", customer_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        before = Customer.objects.locked(customer_id)
        if needs_second_person(before):
            raise Forbidden("The passkeys are gone: a second person must approve this.")
        record.before = snapshot(before, "frozen_at")
        identity = Identity(amount, merchant, email)
        is_asked = must_identify_to_unfreeze(before, now)
        proofs = _prove(before, identity, now) if is_asked else 0
        customer = unfreeze(customer_id=customer_id, actor=staff.actor, now=now)
        record.after = snapshot(customer, "frozen_at") | {"proofs": proofs}
    return customer


def unfreeze_with_approval(instruction: Instruction, caller: Caller, now: datetime) -> None:
    """Unfreeze a customer whose passkeys are gone. Raises as `unfreeze_customer`.

    Raises InstructionDecided if the customer has been frozen anew since the request.
    """
    customer = Customer.objects.locked(instruction.subject_id)
    if customer.frozen_at is None or customer.frozen_at > instruction.asked_at:
        raise InstructionDecided(
            "The customer has been unfrozen, or frozen again, since this was asked."
        )
    if must_identify_to_unfreeze(customer, now):
        _prove_again(instruction, now)
    unfreeze(customer_id=customer.pk, actor=caller.actor, now=now)


def needs_second_person(customer: Customer) -> bool:
    """Return whether a frozen customer has lost the last passkey since: a code resets the PIN."""
    if customer.frozen_at is None or not customer.livemode:
        return False
    first = _first_frozen_at(customer, customer.frozen_at)
    is_left = customer.passkeys.usable().exists()
    return not is_left and customer.passkeys.filter(removed_at__gte=first).exists()


def must_identify_to_unfreeze(customer: Customer, now: datetime) -> bool:
    """Return whether a frozen customer must prove who they are, and can be asked enough."""
    return is_frozen_for_theft(customer) and _recent_payments(customer, now).exists()


def is_frozen_for_theft(customer: Customer) -> bool:
    """Return whether the customer froze the wallet, or staff did by Account stolen.

    Or whether passkeys have been removed since: a thief of the phone number would want any of these
    undone. Freezing a frozen account again does not change the reason.
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
    """Return the freezes since staff last unfroze the customer."""
    since = last_unfrozen_at(customer.pk) or customer.created_at
    return customer.changes.filter(change=AccountChange.FROZEN, at__gte=since)


def _first_frozen_at(customer: Customer, frozen_at: datetime) -> datetime:
    """Return when the current freeze began; freezing again does not restart it."""
    first: datetime | None = _freezes(customer).aggregate(at=Min("at"))["at"]
    return first or frozen_at


def contact_details_of(customer_id: str) -> str:
    """Return a customer's full phone number and e-mail address."""
    customer = Customer.objects.one(customer_id)
    return " ".join(filter(None, [customer.phone, customer.email]))


def _prove_again(instruction: Instruction, now: datetime) -> None:
    """Check again what the caller named at the request, as what counts may have changed."""
    customer, answers = Customer.objects.one(instruction.subject_id), instruction.arguments
    email = customer.email if answers.get("caller_named_email") == ON_FILE else None
    amount, merchant = answers.get("caller_named_amount"), answers.get("caller_named_merchant", "")
    _prove(customer, Identity(amount, merchant, email or ""), now)


def _prove(customer: Customer, identity: Identity, now: datetime) -> int:
    """Count the caller's right answers. Raises IdentityNotProven for fewer than two.

    One of them must be the amount: e-mail addresses are no secret, nor is where many people shop.
    Wrong answers count for all actions together, because they ask the same questions. `audited`
    handles one caller's answers at a time.
    """
    failures = AuditEntry.objects.filter(
        subject_id=customer.pk, act__in=PROVEN, outcome=AuditOutcome.REFUSED, at__gt=now - DAY
    )
    if failures.count() >= MOST_FAILURES_A_DAY:
        raise IdentityNotProven("Too many wrong answers today: try again tomorrow.")
    proofs = _payment_proofs(customer, identity, now)
    proofs += int(_is_email(customer, identity) and _is_settled(customer, now))
    if proofs < PROOFS_NEEDED:
        raise IdentityNotProven
    return proofs


def _is_email(customer: Customer, identity: Identity) -> bool:
    known = customer.email or ""
    return known != "" and identity.email.strip().lower() == known.lower()


def _is_settled(customer: Customer, now: datetime) -> bool:
    """Return whether the e-mail address is too old for the customer to deny it."""
    set_at = email_set_at(customer.pk)
    return set_at is None or set_at <= _in_doubt(customer, now)[1]


def _in_doubt(customer: Customer, now: datetime) -> tuple[datetime, datetime]:
    """Return since when a thief may have acted, and since when a change may still be denied."""
    since, new_for = now, DOUBTED_FOR
    if customer.frozen_at is not None:
        since, new_for = _first_frozen_at(customer, customer.frozen_at) - DAY, LINK_LIFETIME
    return since, since - new_for


def _payment_proofs(customer: Customer, identity: Identity, now: datetime) -> int:
    """Count a right amount, and its payment's merchant, which alone is soon guessed."""
    recent = _recent_payments(customer, now).select_related("merchant").order_by("-pk")
    of_amount = [each for each in recent[:PAYMENTS_COMPARED] if each.amount == identity.amount]
    is_its_merchant = any(is_named(each.merchant.name, identity.merchant) for each in of_amount)
    return int(bool(of_amount)) + int(is_its_merchant)


def _recent_payments(customer: Customer, now: datetime) -> QuerySet[Payment]:
    """Return the payments to ask about: none that a thief of the number may have made.

    A thief may have made payments too small to need a PIN, and any since a day before the wallet
    was frozen, or before a new PIN or passkey was created. On a frozen account, new is what the
    customer could still deny. If no payment is left, staff check a document.
    """
    (until, new_since), changed_at = _in_doubt(customer, now), customer.proof_changed_at
    if changed_at and changed_at > new_since:
        until = min(until, changed_at - DAY)
    return Payment.objects.filter(
        customer=customer,
        status=PaymentStatus.COMPLETED,
        amount__gt=settings.PIN_ABOVE,
        created_at__gt=now - LOOKED_BACK,
        completed_at__lt=until,
    )
