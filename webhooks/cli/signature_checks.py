"""Whether a request is a genuine and fresh delivery, and if not, what is wrong with it. Pure."""

import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from core.clock import epoch_milliseconds
from webhooks.delivery.signing import body_signature, standard_signature

TOLERANCE_MS = 300_000
STANDARD = ("webhook-id", "webhook-timestamp", "webhook-signature")
SERVICE = ("x-service-timestamp", "x-service-signature")


@dataclass(frozen=True)
class Check:
    """One check of a request. `says` explains the failure, or what was found."""

    name: str
    is_good: bool
    says: str


def checks(
    headers: Mapping[str, str], body: bytes, *, secret: str, at: datetime
) -> Iterator[Check]:
    """Run every check on a request that arrived at that instant; header names in lower case."""
    for names, signed, milliseconds in (
        (STANDARD, _is_signed_as_standard, 1_000),
        (SERVICE, _is_signed_as_service, 1),
    ):
        missing = [name for name in names if name not in headers]
        if missing:
            yield Check(names[-1], False, f"missing: {', '.join(missing)}")
            continue
        stamp = next(name for name in names if name.endswith("timestamp"))
        yield _freshness(stamp, headers[stamp], milliseconds, at)
        yield _signature(names[-1], signed(headers, body, secret))


def _freshness(name: str, text: str, milliseconds: int, at: datetime) -> Check:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        return Check(name, False, "is not a whole number")
    age = epoch_milliseconds(at) - int(text) * milliseconds
    seconds = abs(age) // 1_000
    if abs(age) <= TOLERANCE_MS:
        return Check(name, True, f"sent {seconds} s ago")
    when = "ago" if age > 0 else "from now"
    return Check(name, False, f"sent {seconds} s {when}; more than {TOLERANCE_MS // 1_000} s off")


def _signature(name: str, is_good: bool) -> Check:
    return Check(name, is_good, "matches" if is_good else "does not match the secret and body")


def _is_signed_as_standard(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    expected = standard_signature(
        secret, event_id=headers["webhook-id"], seconds=headers["webhook-timestamp"], body=body
    )
    given = headers["webhook-signature"].split()
    return any(hmac.compare_digest(expected.encode(), each.encode()) for each in given)


def _is_signed_as_service(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    expected = body_signature(secret, body).encode()
    return hmac.compare_digest(expected, headers["x-service-signature"].encode())


def alteration_of(headers: Mapping[str, str], body: bytes, *, secret: str) -> str | None:
    """Return how the body was altered in transit, if undoing that makes it match."""
    for alteration, original in _originals(body):
        if original != body and _is_signed_as_service(headers, original, secret):
            return alteration
    return None


def _originals(body: bytes) -> Iterator[tuple[str, bytes]]:
    yield "whitespace was added around the body", body.strip()
    try:
        content = json.loads(body)
    except ValueError:
        return
    plain = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    yield "the body was parsed and serialized again: verify the bytes as received", plain.encode()
