"""The secret of an endpoint, and the two signatures that every request carries. Pure.

`X-Service-Signature` covers the body; `webhook-signature` of Standard Webhooks covers the id, the
time and the body, so that a recorded request cannot be sent again later with a new time.
"""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime

from core.clock import epoch_milliseconds

PREFIX = "whsec_"
SECRET_BYTES = 32
HINT_CHARACTERS = 4


def new_secret() -> str:
    """Return a new secret: `whsec_` and the base64 of 32 random bytes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def is_secret(text: str) -> bool:
    """Return whether the text has the form of an endpoint's secret."""
    try:
        key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except ValueError:
        return False
    return text.startswith(PREFIX) and len(key) == SECRET_BYTES


def hint_of(secret: str) -> str:
    """Return what may be shown of a secret: `whsec_…a1B=`."""
    return f"{PREFIX}…{secret[-HINT_CHARACTERS:]}"


def checkpoint_headers(checkpoint: str) -> dict[str, str]:
    """Return the signed head of the ledger's log as a header: its receiver is a witness."""
    if not checkpoint:
        return {}
    return {"X-Service-Checkpoint": base64.b64encode(checkpoint.encode()).decode()}


def signature_headers(
    *, event_id: str, body: bytes, at: datetime, secret: str, previous: str | None
) -> dict[str, str]:
    """Return the headers that prove where a request comes from, sent at this instant.

    While a rotation overlaps, `webhook-signature` lists the new signature and the previous one.
    """
    milliseconds = epoch_milliseconds(at)
    seconds = str(milliseconds // 1_000)
    known = [secret] if previous is None else [secret, previous]
    headers = {
        "X-Service-Signature": body_signature(secret, body),
        "X-Service-Timestamp": str(milliseconds),
        "webhook-id": event_id,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(
            standard_signature(each, event_id=event_id, seconds=seconds, body=body)
            for each in known
        ),
    }
    if previous is not None:
        headers["X-Service-Signature-Previous"] = body_signature(previous, body)
    return headers


def body_signature(secret: str, body: bytes) -> str:
    """Return the lowercase hex HMAC-SHA256 of the body, keyed by the whole secret string."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard_signature(secret: str, *, event_id: str, seconds: str, body: bytes) -> str:
    """Return `v1,` and the base64 HMAC-SHA256, keyed by the bytes that the secret encodes."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{event_id}.{seconds}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
