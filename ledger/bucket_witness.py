"""A witness in an S3 bucket with object lock: nothing in it can be changed before its time.

`s3://endpoint/bucket/prefix`, by HTTPS and path. Each checkpoint is an object of its own, locked in
compliance mode as it is written: not even the owner of the bucket can delete it.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from urllib.parse import quote

from django.conf import settings

from core.clock import utc_now
from ledger.log_models import Checkpoint
from ledger.witness_answers import WitnessAway, WitnessRefused
from outbound.aws_signature import AwsKey, signed_headers
from outbound.http_client import get, put
from outbound.policy import Policy, policy_for
from outbound.results import HttpResult

BUCKET = "s3://"
SECONDS = 10
SAMPLES = 20  # the most objects that a check reads, spread over all there are
EXISTS = 412
_CODE = re.compile("<Code>([A-Za-z]{1,64})</Code>")
_KEY = re.compile(r"<Key>[^<]*?([0-9]{18})\.checkpoint</Key>")


def put_checkpoints(
    address: str, checkpoints: Iterable[Checkpoint], *, now: datetime
) -> Iterator[int]:
    """Write checkpoints, yielding the size of each. Raises WitnessAway, WitnessRefused."""
    for checkpoint in checkpoints:
        _put(address, checkpoint, now)
        yield checkpoint.size


def notes_in(address: str, *, since: int, size: int) -> Iterator[tuple[str, str]]:
    """Yield the name and text of checkpoints of `since` leaves or more; a sample of them if many.

    Those beyond `size` are all read, as we may have forgotten them. Raises WitnessAway.
    """
    step = (size - since) // SAMPLES
    found = _first_from(address, since)
    while found is not None:
        name = object_name(found)
        yield name, _read(address, name)
        found = _first_from(address, max(found + 1, min(found + step, size)))


def object_name(size: int) -> str:
    """Return the name of a checkpoint. Names sort as sizes do."""
    return f"{size:018}.checkpoint"


def _put(address: str, checkpoint: Checkpoint, now: datetime) -> None:
    body, name = checkpoint.note.encode(), object_name(checkpoint.size)
    until = now + timedelta(days=settings.CHECKPOINT_BUCKET_DAYS)
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "If-None-Match": "*",
        "x-amz-checksum-sha256": base64.b64encode(hashlib.sha256(body).digest()).decode(),
        "x-amz-sdk-checksum-algorithm": "SHA256",  # without it, S3 refuses a locked object
        "x-amz-object-lock-mode": "COMPLIANCE",
        "x-amz-object-lock-retain-until-date": until.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    url = f"{_root(address)}/{name}"
    headers = _signed("PUT", url, headers, body)
    result = put(url, body=body, headers=headers, policy=_policy(), seconds=SECONDS)
    if result.status == EXISTS and _read(address, name) != checkpoint.note:
        raise WitnessRefused(f"it has another {name}.")
    if result.status != EXISTS and not result.is_success:
        raise _away(result)


def _read(address: str, name: str) -> str:
    return _get(f"{_root(address)}/{name}").decode(errors="replace")


def _first_from(address: str, size: int) -> int | None:
    """Return the size of the first checkpoint with at least `size` leaves, if there is one."""
    host, bucket, prefix = _parts(address)
    query = {
        "list-type": "2",
        "max-keys": "1",
        "prefix": prefix,
        "start-after": f"{prefix}{object_name(size - 1)}" if size else prefix,
    }
    words = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
    found = _KEY.search(_get(f"https://{host}/{bucket}?{words}").decode(errors="replace"))
    return int(found[1]) if found else None


def _get(url: str) -> bytes:
    headers = _signed("GET", url, {}, b"")
    result, content = get(url, headers=headers, policy=_policy(), seconds=SECONDS)
    if not result.is_success:
        raise _away(result)
    return content


def _signed(method: str, url: str, headers: dict[str, str], body: bytes) -> dict[str, str]:
    key_id, _, secret = settings.CHECKPOINT_BUCKET_KEY.partition(":")
    key = AwsKey(key_id, secret, settings.CHECKPOINT_BUCKET_REGION)
    return signed_headers(method, url, headers=headers, body=body, key=key, now=utc_now())


def _parts(address: str) -> tuple[str, str, str]:
    """Return the endpoint, the bucket, and the prefix of every name."""
    host, bucket, *folders = address.removeprefix(BUCKET).strip("/").split("/")
    return host, bucket, "".join(f"{folder}/" for folder in folders)


def _root(address: str) -> str:
    return f"https://{address.removeprefix(BUCKET).strip('/')}"


def _policy() -> Policy:
    return policy_for(livemode=not settings.DEVELOPMENT_MODE)


def _away(result: HttpResult) -> WitnessAway:
    code = _CODE.search(result.excerpt)
    reason = result.error or f"it answered {result.status}."
    return WitnessAway(f"{reason} {code[1]}" if code else reason)
