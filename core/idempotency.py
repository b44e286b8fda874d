"""Idempotency-Key: a request that is repeated under its key runs once and gets one response.

The first statement of the work's own transaction claims the key, and the last one stores the
answer: a crash or a refusal leaves nothing behind, and a concurrent repeat waits on the claim.
"""

import hashlib
import re
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse

from core.clock import request_now
from core.crypto import encrypt
from core.errors import ApiError, IdempotencyKeyReused, InvalidRequest
from core.handler import json_error
from core.models import KEY_LENGTH, IdempotencyKey
from core.responses import Response
from core.retention import PERIODS, delete_all
from core.retries import retry_on_deadlock
from core.sealed import place_of, unseal
from core.writing import Write, held_writes

Work = Callable[[], Response | ApiError]

RETENTION = PERIODS["responses under an Idempotency-Key"]
HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
_META = "HTTP_IDEMPOTENCY_KEY"  # `request.headers` builds a mapping of all, for each request
_TABLE = IdempotencyKey._meta.db_table
_QUOTED = re.compile(r'"([^"]*)"')
_PRINTABLE = re.compile(rf"[\x20-\x7e]{{1,{KEY_LENGTH}}}")


def respond_once(
    request: HttpRequest,
    scope: str,
    work: Work,
    *,
    secret: bool,
    shown_to: str,
    shown_for: timedelta | None,
) -> HttpResponse:
    """Do the work of a POST, or replay the response stored under its Idempotency-Key.

    An error that the work raises rolls it back and leaves no record; one that it returns is an
    outcome, committed and stored like any other response. `secret` means that this response shows a
    secret once: it is stored encrypted and, if `shown_to` is given, replayed to that actor alone.
    Nothing is replayed after `shown_for`.

    Raises InvalidRequest for a malformed key, IdempotencyKeyReused if the key came with another
    method, path or body, from anyone but `shown_to`, or too long ago. Without a key the work is
    simply done; after a deadlock it is retried. Either way it is one transaction, which services
    join without a savepoint of their own.
    """
    key = key_of(request)
    if key is None:
        return retry_on_deadlock(transaction.atomic(lambda: _answer(work())))
    fingerprint = fingerprint_of(request, shown_to=shown_to)
    return retry_on_deadlock(
        lambda: _under_key(scope, key, fingerprint, work, secret=secret, shown_for=shown_for)
    )


def _under_key(
    scope: str, key: str, fingerprint: str, work: Work, *, secret: bool, shown_for: timedelta | None
) -> HttpResponse:
    with transaction.atomic(), held_writes() as held:
        while not _claim(scope, key, fingerprint, request_now()):
            stored = IdempotencyKey.objects.filter(scope=scope, key=key).first()
            if stored is None:
                continue  # its time was up, and it was deleted between the two statements
            if shown_for is not None and request_now() - stored.created_at > shown_for:
                raise IdempotencyKeyReused("Its answer is not shown any more: send another key.")
            return _replay(stored, fingerprint, secret=secret)
        response = _answer(work())
        held.send(_storing(scope, key, fingerprint, response, secret=secret))
    return response


def _answer(outcome: Response | ApiError) -> Response:
    if isinstance(outcome, Response):
        return outcome
    return json_error(outcome)


def key_of(request: HttpRequest) -> str | None:
    """Return the key of a request; a quoted one (`"abc"`) is the same as without the quotes.

    A header sent twice arrives as one with a comma, so a key may hold a comma in quotes only.
    """
    given = request.META.get(_META)
    if given is None:
        return None
    quoted = _QUOTED.fullmatch(given)
    if "," in given and not quoted:
        raise InvalidRequest(f"{HEADER}: must be sent once; a comma is for keys in double quotes.")
    key = quoted[1] if quoted else given
    if not _PRINTABLE.fullmatch(key) or not key.strip():
        raise InvalidRequest(f"{HEADER}: must be 1 to {KEY_LENGTH} printable characters.")
    return key


def fingerprint_of(request: HttpRequest, *, shown_to: str) -> str:
    """Return the SHA-256 of the request: method, path with query, body, and sole reader if any.

    So the key stays the merchant's, and the same request from another reader is a different one.
    """
    reader = f" {shown_to}" if shown_to else ""
    head = f"{request.method} {request.get_full_path()}{reader}\n".encode()
    return hashlib.sha256(head + request.body).hexdigest()


def delete_expired_keys(*, before: datetime) -> int:
    """Delete the keys that were claimed before the instant; return how many."""
    return delete_all(IdempotencyKey.objects.filter(created_at__lt=before), order_by="created_at")


def _claim(scope: str, key: str, fingerprint: str, at: datetime) -> bool:
    """Insert the key, after waiting for any request that holds it; return False if it exists."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {_TABLE} (scope, key, fingerprint, location, created_at)"  # noqa: S608  # a constant
            " VALUES (%s, %s, %s, '', %s) ON CONFLICT DO NOTHING",
            [scope, key, fingerprint, connection.ops.adapt_datetimefield_value(at)],
        )
        return bool(cursor.rowcount == 1)


def _storing(scope: str, key: str, fingerprint: str, response: Response, *, secret: bool) -> Write:
    body = response.content
    if secret:
        place = place_of(IdempotencyKey, "body", (scope, key, fingerprint))
        body = encrypt(body.decode(), place).encode()
    return Write(
        f"UPDATE {_TABLE} SET status = %s, body = %s, location = %s"  # noqa: S608  # a constant
        " WHERE scope = %s AND key = %s",
        [response.status_code, body, response.get("Location", ""), scope, key],
    )


def _replay(stored: IdempotencyKey, fingerprint: str, *, secret: bool) -> HttpResponse:
    if stored.fingerprint != fingerprint or stored.status is None:
        raise IdempotencyKeyReused(
            "Idempotency-Key: send another one, or the request that it came with, unchanged"
        )
    headers = {REPLAYED: "true"}
    if stored.location:
        headers["Location"] = stored.location
    return HttpResponse(
        unseal(stored, "body").encode() if secret else bytes(stored.body or b""),
        status=stored.status,
        content_type="application/json",
        headers=headers,
    )
