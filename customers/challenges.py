"""Challenges for passkeys: random, single-use, valid for five minutes, bound to one purpose."""

import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from customers.errors import VerificationFailed
from customers.models import ChallengePurpose, CustomerSession, PasskeyChallenge

CHALLENGE_BYTES = 32
LIFETIME = timedelta(minutes=5)


@dataclass(frozen=True)
class Binding:
    """What a challenge is bound to. `amount` is in cents, of the payment's currency.

    A challenge is bound to the customer, too, and to their session, if they are signed in.
    """

    purpose: ChallengePurpose
    payment_id: str = ""
    amount: int | None = None


def issue(
    *, customer_id: str, session: CustomerSession | None, binding: Binding, now: datetime
) -> bytes:
    """Return a new challenge, stored with what it is bound to."""
    challenge = secrets.token_bytes(CHALLENGE_BYTES)
    PasskeyChallenge.objects.create(
        challenge=_text(challenge),
        purpose=binding.purpose,
        customer_id=customer_id,
        session=session,
        payment_id=binding.payment_id,
        amount=binding.amount,
        created_at=now,
        expires_at=now + LIFETIME,
    )
    return challenge


@transaction.atomic(durable=True)
def consume(
    challenge: bytes,
    *,
    customer_id: str,
    session: CustomerSession | None,
    binding: Binding,
    now: datetime,
) -> None:
    """Consume a challenge, before the response to it is verified.

    Raises VerificationFailed for one that was used, has expired, or is bound to anything else.
    """
    used = PasskeyChallenge.objects.filter(
        challenge=_text(challenge),
        purpose=binding.purpose,
        customer_id=customer_id,
        session=session,
        payment_id=binding.payment_id,
        amount=binding.amount,
        used_at=None,
        expires_at__gt=now,
    ).update(used_at=now)
    if not used:
        raise VerificationFailed


def _text(challenge: bytes) -> str:
    """Write a challenge as browsers do: base64url without padding."""
    return urlsafe_b64encode(challenge).rstrip(b"=").decode()
