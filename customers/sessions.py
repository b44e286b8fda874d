"""Customer sessions: a token in the browser, and a row with its customer and expiry.

A session belongs to one mode. It records when its customer was last verified, and how.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache

from django.db import transaction

from core.prepared import Placeholder, PreparedValues, instant_placeholder
from core.signed_tokens import sign_token
from customers.codes import check_code
from customers.errors import ProofMethod, ProofNeeded, VerificationFailed
from customers.magic_phones import is_protected
from customers.models import (
    FRESH,
    SESSION_IDLE,
    CodePurpose,
    Customer,
    CustomerSession,
    Passkey,
)
from customers.new_proofs import doubtful_until
from customers.pins import check_pin, set_pin
from customers.services import find_or_create, test_customer
from customers.tokens import hash_of, new_token

LIFETIME = timedelta(hours=12)
SEEN_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class SignedIn:
    """A new session and its token, which exists nowhere else."""

    session: CustomerSession
    token: str = field(repr=False)


def sign_in(
    *,
    handle: str,
    code: str,
    now: datetime,
    replaces: str = "",
    currency: str | None = None,
    merchant_id: str = "",
    language: str = "",
    device: str = "",
) -> SignedIn:
    """Sign in the holder of the phone that the code went to; creates the customer if new.

    A code for one payment opens a session for that payment: reading it out agreed to no more.
    `replaces` is the token that the browser had: that session ends. A test customer is that of
    `merchant_id`, with money of `currency` in the wallet. `language` is kept as by
    `set_message_language`. Raises InvalidCode, CodeExpired, ValidationFailed, CustomerFrozen.
    """
    proof = check_code(handle=handle, code=code, purpose=CodePurpose.SIGN_IN, now=now)
    if proof.livemode:
        customer = find_or_create(phone=proof.phone, now=now)
    else:
        customer = test_customer(proof.phone, now, currency, merchant_id=merchant_id)
    customer.refuse_frozen()
    payment_id = proof.payment_id if is_protected(customer) else ""
    signed_in = start_session(
        customer=customer, now=now, replaces=replaces, payment_id=payment_id, device=device
    )
    set_message_language(signed_in.session, language, now=now)
    return signed_in


def set_message_language(session: CustomerSession, language: str, *, now: datetime) -> None:
    """Write to the customer in this language from now on, once a PIN or passkey has been shown.

    A code is enough for a customer who has neither. Otherwise, by it alone or with a new PIN, a
    thief of the number could have the owner warned in a language that the owner cannot read.
    """
    customer = session.customer
    if not language or language == customer.language or doubtful_until(customer, now):
        return
    if not is_proven_by_code_only(session):
        customer.language = language
        # The person may have been erased since `customer` was read, and stays nameless.
        known = Customer.objects.filter(pk=customer.pk, erased_at=None)
        known.update(language=language, updated_at=now)


@transaction.atomic
def start_session(
    *,
    customer: Customer,
    now: datetime,
    replaces: str = "",
    payment_id: str = "",
    passkey_id: int | None = None,
    device: str = "",
) -> SignedIn:
    """Open a session for a customer whose phone has just been verified, or for one payment.

    `passkey_id`: that passkey has signed in or approved the payment; it changes neither PIN nor
    passkeys, so no proof is recorded. Raises VerificationFailed if it was removed meanwhile: all
    sessions end with a passkey, and one that opens just then would stay.
    """
    if passkey_id is not None:
        Customer.objects.locked(customer.pk)
        if not Passkey.objects.usable().filter(pk=passkey_id).exists():
            raise VerificationFailed
    end_session(replaces, now=now)
    token = sign_token(new_token())
    session = CustomerSession.objects.create(
        customer=customer,
        livemode=customer.livemode,
        token_hash=hash_of(token),
        code_verified_at=now if passkey_id is None else None,
        created_at=now,
        last_seen_at=now,
        expires_at=now + LIFETIME,
        payment_id=payment_id,
        device=device,
    )
    return SignedIn(session, token)


def find_session(token: str, *, livemode: bool, now: datetime) -> CustomerSession | None:
    """Return the open session of this token and mode with its customer, recording its use.

    A frozen customer has none.
    """
    opened = CustomerSession.objects.open(now).select_related("customer")
    opened = opened.filter(customer__frozen_at=None)
    session = opened.filter(token_hash=hash_of(token), livemode=livemode).first()
    if session is not None and now - session.last_seen_at >= SEEN_EVERY:
        CustomerSession.objects.filter(pk=session.pk).update(last_seen_at=now)
        session.last_seen_at = now
    return session


def lock_customer_of(session: CustomerSession) -> Customer:
    """Return the customer of a session, locked until the transaction ends.

    Raises CustomerFrozen, and VerificationFailed if the session ended while this waited.
    """
    customer = Customer.objects.locked(session.customer_id)
    customer.refuse_frozen()
    if not CustomerSession.objects.filter(pk=session.pk, ended_at=None).exists():
        raise VerificationFailed
    return customer


def live_customer_of(token: str, *, now: datetime) -> str:
    """Return the id of the live customer whose open session has this token; empty if none has.

    One prepared statement that records no use. A session that has ended, or one of test mode, may
    be sent again and again by anyone.
    """
    given = {"hash": hash_of(token), "now": now, "idle_since": now - SESSION_IDLE}
    return next((customer_id for (customer_id,) in _open_live().rows(**given)), "")


@cache
def _open_live() -> PreparedValues:
    given = {name: instant_placeholder(name) for name in ("now", "idle_since")}
    opened = CustomerSession.objects.alive(**given).filter(customer__frozen_at=None)
    sessions = opened.filter(token_hash=Placeholder("hash"), livemode=True)
    return PreparedValues(sessions.values_list("customer_id"))


def end_session(token: str, *, now: datetime) -> None:
    """Sign out. An unknown token is no error: the customer is signed out."""
    CustomerSession.objects.filter(token_hash=hash_of(token), ended_at=None).update(ended_at=now)


def prove_pin(*, session: CustomerSession, pin: str, address: str, now: datetime) -> None:
    """Check the PIN before a passkey is added, and record it. Raises what `check_pin` raises.

    Not for a payment: paying must not permit changes to passkeys.
    """
    check_pin(customer_id=session.customer_id, pin=pin, address=address, now=now)
    remember_proof(session, ProofMethod.PIN, now=now)


def prove_phone(*, session: CustomerSession, handle: str, code: str, now: datetime) -> None:
    """Check a fresh code before a passkey is added, and record it.

    Raises what `check_code` raises.
    """
    check_code(
        handle=handle,
        code=code,
        purpose=CodePurpose.ADD_PASSKEY,
        now=now,
        customer=session.customer,
    )
    remember_proof(session, ProofMethod.CODE, now=now)


def proof_needed(session: CustomerSession, *, now: datetime) -> ProofMethod | None:
    """Return the verification that is missing before passkeys may change, if any.

    The first passkey takes a code and the PIN, both fresh; if no PIN was ever chosen, only the
    code, which could set one. A code for a payment does not count, except for a newcomer, who has
    nothing yet that a thief could take. After that only a passkey will do, so that a stolen phone
    number is not enough; a customer who has lost them all calls support. In test mode, where a
    merchant's testers share phones, code and PIN always suffice.
    """
    if session.livemode and session.customer.passkeys.usable().exists():
        return None if _is_fresh(session.passkey_verified_at, now) else ProofMethod.PASSKEY
    is_newcomer = session.created_at == session.customer.created_at
    is_to_pay = session.has_code_for_payment_only and not is_newcomer
    if is_to_pay or not _is_fresh(session.code_verified_at, now):
        return ProofMethod.CODE
    has_chosen_pin = bool(session.customer.pin_hash)
    if has_chosen_pin and not _is_fresh(session.pin_verified_at, now):
        return ProofMethod.PIN
    return None


def set_first_pin(*, session: CustomerSession, pin: str, now: datetime) -> None:
    """Set the PIN of a customer who has none, and record it.

    Raises ProofNeeded if it takes a fresh code: an unattended browser must not be enough, nor a
    code for a payment. Raises what `set_pin` raises.
    """
    if proof_needed(session, now=now) == ProofMethod.CODE:
        raise ProofNeeded(ProofMethod.CODE)
    set_pin(customer_id=session.customer_id, pin=pin, now=now, session_id=session.pk)
    remember_proof(session, ProofMethod.PIN, now=now)


def is_proven_by_code_only(session: CustomerSession) -> bool:
    """Return whether a live customer who ever had a PIN or passkey has shown only a code so far.

    What such a session is shown, a thief of the number could tell staff who verify a caller. The
    thief may have had the last PIN or passkey removed, so past ones count as well.
    """
    has_shown_more = session.pin_verified_at or session.passkey_verified_at
    if not session.livemode or session.code_verified_at is None or has_shown_more:
        return False
    customer = session.customer
    had_pin = bool(customer.pin_hash) or customer.proof_changed_at is not None
    return had_pin or customer.passkeys.exists()


def remember_proof(session: CustomerSession, proof: ProofMethod, *, now: datetime) -> None:
    """Record that the customer has just been verified, for a change of passkeys."""
    column = f"{proof}_verified_at"
    CustomerSession.objects.filter(pk=session.pk).update(**{column: now})
    setattr(session, column, now)


def _is_fresh(verified_at: datetime | None, now: datetime) -> bool:
    return verified_at is not None and now - verified_at < FRESH
