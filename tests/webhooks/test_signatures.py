import hashlib
import hmac
import json

import pytest
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from core.clock import epoch_milliseconds, utc_now
from tests.webhooks.receiver import Received
from webhooks.delivery.signing import new_secret, signature_headers
from webhooks.models import Attempt

WINDOW_MS = 300_000


def merchants_own_check(secret: str, headers: dict[str, str], body: bytes, now_ms: int) -> bool:
    """What a merchant would write with the documentation at hand."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    fresh = abs(now_ms - int(headers["x-service-timestamp"])) <= WINDOW_MS
    return fresh and hmac.compare_digest(expected, headers["x-service-signature"])


def test_it_is_what_the_stock_library_expects(sent: tuple[str, Received]) -> None:
    secret, request = sent

    content = Verifier(secret).verify(request.body, request.headers)

    assert content == json.loads(request.body)
    assert list(content)[:4] == ["id", "type", "created", "data"]
    assert content["id"] == request.headers["webhook-id"]


def test_it_is_what_plain_code_expects(sent: tuple[str, Received]) -> None:
    secret, request = sent

    assert merchants_own_check(secret, request.headers, request.body, int(request.at * 1000))
    assert request.headers["x-service-signature"] == request.headers["x-service-signature"].lower()
    [attempt] = Attempt.objects.all()
    sent_ms = int(request.headers["x-service-timestamp"])
    assert sent_ms == epoch_milliseconds(attempt.attempted_at) <= request.at * 1000
    assert request.headers["content-type"] == "application/json"
    assert "x-service-signature-previous" not in request.headers


@pytest.mark.parametrize("change", ["body", "id", "time", "old", "secret"])
def test_a_forged_or_replayed_request_is_refused(sent: tuple[str, Received], change: str) -> None:
    secret, request = sent
    headers, body = dict(request.headers), request.body
    match change:
        case "body":
            body = body.replace(b"1250", b"9250")
        case "id":
            headers["webhook-id"] = "evt_another"
        case "time":
            headers["webhook-timestamp"] = str(int(headers["webhook-timestamp"]) + 1)
        case "old":
            stamp = str(int(headers["webhook-timestamp"]) - 301)
            headers["webhook-timestamp"] = stamp
        case "secret":
            secret = new_secret()

    with pytest.raises(WebhookVerificationError):
        Verifier(secret).verify(body, headers)


def test_plain_code_refuses_what_was_changed_or_is_stale(sent: tuple[str, Received]) -> None:
    secret, request = sent
    sent_ms = int(request.headers["x-service-timestamp"])

    assert not merchants_own_check(secret, request.headers, request.body + b" ", sent_ms)
    assert not merchants_own_check(new_secret(), request.headers, request.body, sent_ms)
    assert not merchants_own_check(secret, request.headers, request.body, sent_ms + WINDOW_MS + 1)


def test_both_secrets_sign_while_a_rotation_overlaps() -> None:
    new, old = new_secret(), new_secret()

    headers = signature_headers(
        event_id="evt_1", body=b"{}", at=utc_now(), secret=new, previous=old
    )

    for secret in (new, old):
        assert Verifier(secret).verify(b"{}", headers) == {}
    assert headers["X-Service-Signature"] == hmac.digest(new.encode(), b"{}", "sha256").hex()
    assert (
        headers["X-Service-Signature-Previous"] == hmac.digest(old.encode(), b"{}", "sha256").hex()
    )
