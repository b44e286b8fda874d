"""Passkeys: adding one, and authorizing a payment with one.

Each ceremony has two halves: `begin_…` returns the options for the browser, `finish_…` takes the
JSON of its response. The user is always verified by the device: finger, face or its own PIN.

The WebAuthn library is imported where it is used: 7 MB that many processes never need.
"""

import logging
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from core.attempt_limits import AttemptLimit, count_within_all
from customers import challenges
from customers.challenges import Binding
from customers.errors import (
    PasskeyMissing,
    ProofMethod,
    ProofNeeded,
    TooManyPasskeys,
    VerificationFailed,
)
from customers.models import (
    ChallengePurpose,
    Customer,
    CustomerSession,
    Passkey,
)
from customers.new_proofs import note_new_proof
from customers.security_alerts import SecurityChange, plan_notice
from customers.sessions import lock_customer_of, proof_needed, remember_proof

if TYPE_CHECKING:
    from customers.webauthn import CredentialResponse, KnownCredential, Options

logger = logging.getLogger(__name__)

MAX_PASSKEYS = 20
TOLD_OF_COPY = AttemptLimit("passkey-copy", 1, timedelta(days=1))


def refuse_unproven(session: CustomerSession, now: datetime) -> None:
    """Raise ProofNeeded if a verification is missing before passkeys may change.

    Where they do change, under the customer's lock: with a first passkey, another proof is needed.
    """
    needed = proof_needed(session, now=now)
    if needed is not None:
        raise ProofNeeded(needed)


def begin_registration(
    *, session: CustomerSession, now: datetime, payment_id: str = "", amount: int | None = None
) -> "Options":
    """Start the registration of a passkey, which may approve a payment as well.

    Raises ProofNeeded, TooManyPasskeys.
    """
    from customers import webauthn

    refuse_unproven(session, now)
    known = _known(session.customer)
    if session.livemode and len(known) >= MAX_PASSKEYS:
        raise TooManyPasskeys
    binding = _registration(payment_id, amount)
    return webauthn.registration_options(
        site=settings.CHECKOUT_URL,
        challenge=challenges.issue(
            customer_id=session.customer_id, session=session, binding=binding, now=now
        ),
        user_handle=session.customer_id.encode(),
        user_name=session.customer.phone,
        known=known,
    )


def finish_registration(
    *,
    session: CustomerSession,
    credential: str,
    now: datetime,
    name: str = "",
    payment_id: str = "",
    amount: int | None = None,
) -> Passkey:
    """Store the passkey that the browser has created, for that payment if one is named.

    Raises VerificationFailed, ProofNeeded, TooManyPasskeys, CustomerFrozen, RateLimited.
    """
    from customers import webauthn

    response = webauthn.read_registration(credential)
    challenges.consume(
        response.challenge,
        customer_id=session.customer_id,
        session=session,
        binding=_registration(payment_id, amount),
        now=now,
    )
    made = webauthn.verify_registration(response, site=settings.CHECKOUT_URL)
    with transaction.atomic():
        lock_customer_of(session)
        refuse_unproven(session, now)  # another session may just have added the first one
        _make_room(session.customer, now)
        passkey, is_new = Passkey.objects.get_or_create(
            credential_id=made.credential_id,
            defaults=asdict(made) | {"customer": session.customer, "name": name, "created_at": now},
        )
        if not is_new:
            raise VerificationFailed
        note_new_proof(session.customer_id, now=now)
        plan_notice(session.customer, SecurityChange.PASSKEY_ADDED, now=now)
    return passkey


def begin_payment(
    *, session: CustomerSession, payment_id: str, amount: int, now: datetime
) -> "Options":
    """Request a passkey's approval of this amount. Raises PasskeyMissing."""
    binding = Binding(ChallengePurpose.PAY, payment_id, amount)
    return _begin(session.customer, session, binding, now)


def finish_payment(
    *, session: CustomerSession, payment_id: str, amount: int, credential: str, now: datetime
) -> Passkey:
    """Return the passkey by which the customer has approved this amount.

    Raises VerificationFailed, also for a response to any other challenge.
    """
    binding = Binding(ChallengePurpose.PAY, payment_id, amount)
    return _finish(session.customer_id, session, binding, credential, now)


def begin_payment_signed_out(
    *, customer: Customer, payment_id: str, amount: int, now: datetime
) -> "Options":
    """Request the approval of this amount from a customer who is known, but not signed in.

    Raises PasskeyMissing.
    """
    return _begin(customer, None, Binding(ChallengePurpose.PAY, payment_id, amount), now)


def finish_payment_signed_out(
    *, customer: Customer, payment_id: str, amount: int, credential: str, now: datetime
) -> Passkey:
    """Return the passkey by which this customer has approved this amount.

    Raises VerificationFailed.
    """
    binding = Binding(ChallengePurpose.PAY, payment_id, amount)
    return _finish(customer.pk, None, binding, credential, now)


def begin_sign_in(*, customer: Customer, now: datetime) -> "Options":
    """Request a passkey from a customer who is known, but not signed in. Raises PasskeyMissing."""
    return _begin(customer, None, Binding(ChallengePurpose.SIGN_IN), now)


def finish_sign_in(*, customer: Customer, credential: str, now: datetime) -> Passkey:
    """Return the passkey by which this customer signs in. Raises VerificationFailed."""
    return _finish(customer.pk, None, Binding(ChallengePurpose.SIGN_IN), credential, now)


def begin_confirmation(*, session: CustomerSession, now: datetime) -> "Options":
    """Request a passkey before passkeys may change. Raises PasskeyMissing."""
    return _begin(session.customer, session, Binding(ChallengePurpose.CONFIRM), now)


def finish_confirmation(*, session: CustomerSession, credential: str, now: datetime) -> None:
    """Verify a passkey and note it, so that passkeys may change. Raises VerificationFailed."""
    binding = Binding(ChallengePurpose.CONFIRM)
    _finish(session.customer_id, session, binding, credential, now)
    remember_proof(session, ProofMethod.PASSKEY, now=now)


def _registration(payment_id: str, amount: int | None) -> Binding:
    if not payment_id:
        return Binding(ChallengePurpose.REGISTER)
    return Binding(ChallengePurpose.REGISTER_PAY, payment_id, amount)


def _begin(
    customer: Customer, session: CustomerSession | None, binding: Binding, now: datetime
) -> "Options":
    from customers import webauthn

    known = _known(customer)
    if not known:
        raise PasskeyMissing
    challenge = challenges.issue(customer_id=customer.pk, session=session, binding=binding, now=now)
    return webauthn.authentication_options(
        site=settings.CHECKOUT_URL, challenge=challenge, known=known
    )


def _finish(
    customer_id: str,
    session: CustomerSession | None,
    binding: Binding,
    credential: str,
    now: datetime,
) -> Passkey:
    from customers import webauthn

    response = webauthn.read_assertion(credential)
    challenges.consume(
        response.challenge, customer_id=customer_id, session=session, binding=binding, now=now
    )
    passkey = _passkey_of(customer_id, response)
    sign_count = webauthn.verify_assertion(
        response, bytes(passkey.public_key), site=settings.CHECKOUT_URL
    )
    if webauthn.sign_count_regressed(passkey.sign_count, sign_count):
        _refuse_copied(passkey, now)
    # Conditional on the count that was read: of two assertions with one count, one is refused.
    counted = Passkey.objects.usable().filter(pk=passkey.pk, sign_count=passkey.sign_count)
    if not counted.update(sign_count=sign_count, last_used_at=now):
        raise VerificationFailed
    return passkey


def _passkey_of(customer_id: str, response: "CredentialResponse") -> Passkey:
    if response.user_handle not in (None, b"", customer_id.encode()):
        raise VerificationFailed
    usable = Passkey.objects.usable().filter(customer__frozen_at=None)
    passkey = usable.filter(customer_id=customer_id, credential_id=response.credential_id).first()
    if passkey is None:
        raise VerificationFailed
    return passkey


def _refuse_copied(passkey: Passkey, now: datetime) -> None:
    """Record that there may be a copy, tell the owner once a day, and raise VerificationFailed.

    Someone who has the copy can go on until its count is the higher one.
    """
    with transaction.atomic():
        Passkey.objects.filter(pk=passkey.pk).update(copied_at=now)
        if count_within_all([(TOLD_OF_COPY, str(passkey.pk))], now=now):
            change = SecurityChange.PASSKEY_COPIED
            plan_notice(passkey.customer, change, is_limited=False, now=now)
    logger.warning("passkey %s seems to be copied: its count fell", passkey.pk)
    raise VerificationFailed


def _make_room(customer: Customer, now: datetime) -> None:
    """Remove the oldest of too many, in test mode, where several people share the same few phones.

    Raises TooManyPasskeys for a live customer: a thief could replace those of the owner unnoticed.
    """
    newest = customer.passkeys.usable().order_by("-pk")
    too_old = list(newest.values_list("pk", flat=True)[MAX_PASSKEYS - 1 :])
    if too_old and customer.livemode:
        raise TooManyPasskeys
    customer.passkeys.filter(pk__in=too_old).remove(now)


def _known(customer: Customer) -> "list[KnownCredential]":
    from customers import webauthn

    passkeys = customer.passkeys.usable().order_by("-pk")
    return [
        webauthn.KnownCredential(passkey.credential_id, passkey.transports) for passkey in passkeys
    ]
