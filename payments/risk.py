"""Cumulative limits: what a customer may pay in total before stronger verification is required.

They add to the limits per payment. The counters are on the customer's row, which the paying
transaction has locked, so that two concurrent payments cannot both fit. Currencies are summed
unconverted. They count only for live customers and the magic phone that demonstrates them.
"""

from datetime import datetime

from django.conf import settings
from django.db.models import Exists

from customers.errors import NewProofLimitReached, VerificationFailed
from customers.magic_phones import is_protected
from customers.models import Customer, CustomerSession
from customers.new_proofs import is_recent
from merchants.errors import MerchantInactive
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from payments.verification import Verification, required_for_amount

HOUR_SECONDS, DAY_SECONDS = 3_600, 86_400


def required_for_customer(customer: Customer, amount: int, *, now: datetime) -> Verification:
    """Return the verification this customer needs: what the amount requires, or stronger."""
    needed = required_for_amount(amount)
    if not is_protected(customer):
        return needed
    if needed == Verification.NONE and _is_too_much_unproven(customer, amount):
        needed = Verification.PIN
    if needed == Verification.PIN:
        paid_by_pin = sum(paid for _, paid in _by_pin(customer, now))
        if paid_by_pin + amount > settings.RISK_PIN_DAY_AMOUNT:
            needed = Verification.PASSKEY
    return needed


def refuse_above_new_proof_limit(customer: Customer, amount: int, *, now: datetime) -> None:
    """Raise NewProofLimitReached if a recently set PIN or passkey may not pay that much yet."""
    if not is_protected(customer) or not is_recent(customer.proof_changed_at, now):
        return
    if customer.new_proof_amount + amount > settings.RISK_NEW_PROOF_AMOUNT:
        raise NewProofLimitReached


def pays_with_new_proof(customer: Customer, amount: int, *, now: datetime) -> bool:
    """Return whether a passkey added now could pay this amount right away."""
    if not is_protected(customer) or not settings.RISK_NEW_PROOF_HOURS:
        return True
    is_still_new = is_recent(customer.proof_changed_at, now)
    paid = customer.new_proof_amount if is_still_new else 0
    return paid + amount <= settings.RISK_NEW_PROOF_AMOUNT


def count_payment(
    customer: Customer,
    amount: int,
    verified: Verification,
    *,
    payee_id: str,
    session_id: int | None = None,
    now: datetime,
) -> None:
    """Check a payment against the limits and count it. The customer's row must be locked.

    `session_id` is the session that pays, if any. Raises NewProofLimitReached, VerificationFailed
    if more is required or that session has ended, and MerchantInactive if the payee was suspended:
    both also if it happened while this waited for the lock.
    """
    refuse_above_new_proof_limit(customer, amount, now=now)
    if verified < required_for_customer(customer, amount, now=now):
        raise VerificationFailed
    if not is_protected(customer):
        return
    if verified == Verification.NONE:
        customer.unproven_payments += 1
        customer.unproven_amount += amount
    else:
        customer.unproven_payments = customer.unproven_amount = 0
    if verified == Verification.PIN:
        _count_by_pin(customer, amount, now)
    customer.new_proof_amount += amount
    customer.updated_at = now
    suspended = Merchant.objects.filter(pk=payee_id, status=MerchantStatus.SUSPENDED)
    ended = CustomerSession.objects.filter(pk=session_id or 0).exclude(ended_at=None)
    counted = {name: getattr(customer, name) for name in _COUNTED}
    rows = Customer.objects.filter(~Exists(suspended), ~Exists(ended), pk=customer.pk)
    if not rows.update(**counted):
        raise VerificationFailed if ended.exists() else MerchantInactive


_COUNTED = (
    "unproven_payments",
    "unproven_amount",
    "paid_by_pin",
    "new_proof_amount",
    "updated_at",
)


def _count_by_pin(customer: Customer, amount: int, now: datetime) -> None:
    """Add a payment to the list, within one hour as one of its last moment: 25 entries at most."""
    listed, at = _by_pin(customer, now), int(now.timestamp())
    if listed and listed[-1][0] // HOUR_SECONDS == at // HOUR_SECONDS:
        amount += listed.pop()[1]
    customer.paid_by_pin = " ".join(f"{when}:{paid}" for when, paid in [*listed, (at, amount)])


def _by_pin(customer: Customer, now: datetime) -> list[tuple[int, int]]:
    """Return what was paid by PIN in the last 24 hours: when, in whole seconds, and how much."""
    entries = (each.partition(":") for each in customer.paid_by_pin.split())
    listed = [(int(when), int(paid)) for when, _, paid in entries]
    oldest = int(now.timestamp()) - DAY_SECONDS
    return [each for each in listed if each[0] >= oldest]


def _is_too_much_unproven(customer: Customer, amount: int) -> bool:
    is_too_often = customer.unproven_payments >= settings.RISK_UNPROVEN_PAYMENTS
    return is_too_often or customer.unproven_amount + amount > settings.RISK_UNPROVEN_AMOUNT
