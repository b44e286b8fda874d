"""manage.py verify_webhook"""

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from core.clock import iso
from webhooks.delivery.signing import new_secret, signature_headers

AT = datetime(2026, 11, 21, 14, tzinfo=UTC)
BODY = b'{"id":"evt_1","data":{"name":"Caf\xc3\xa9","amount":5}}'
SECRET = new_secret()


def headers(**changed: str | None) -> dict[str, str]:
    signed = signature_headers(event_id="evt_1", body=BODY, at=AT, secret=SECRET, previous=None)
    both = {name.lower(): value for name, value in signed.items()} | {
        name.replace("_", "-"): value for name, value in changed.items()
    }
    return {name: value for name, value in both.items() if value is not None}


@pytest.fixture
def verify(tmp_path: Path):
    """Write a request into a file and verify it; return whether it is good, and what was said."""

    def run(
        given: dict[str, str], body: bytes, *words: str, secret: str = SECRET, after: float = 0
    ) -> tuple[bool, str]:
        file = tmp_path / "request"
        lines = "".join(f"{name.title()}: {value}\r\n" for name, value in given.items())
        file.write_bytes(f"{lines}\r\n".encode() + body)
        out = io.StringIO()
        at = iso(AT + timedelta(seconds=after))
        try:
            call_command("verify_webhook", secret, str(file), "--at", at, *words, stdout=out)
        except SystemExit as end:
            return end.code == 0, out.getvalue()
        return True, out.getvalue()

    return run


def test_a_genuine_request_passes_every_check(verify) -> None:
    assert verify(headers(), BODY, after=7) == (
        True,
        "ok    webhook-timestamp: sent 7 s ago\n"
        "ok    webhook-signature: matches\n"
        "ok    x-service-timestamp: sent 7 s ago\n"
        "ok    x-service-signature: matches\n",
    )


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (301, "webhook-timestamp: sent 301 s ago; more than 300 s off"),
        (-301, "x-service-timestamp: sent 301 s from now; more than 300 s off"),
    ],
)
def test_it_says_that_a_request_is_stale(verify, after: float, said: str) -> None:
    good, text = verify(headers(), BODY, after=after)

    assert not good
    assert f"FAIL  {said}" in text
    assert "ok    webhook-signature" in text


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        (BODY + b"\n", "whitespace was added around the body"),
        (json.dumps(json.loads(BODY)).encode(), "the body was parsed and serialized"),
        (json.dumps(json.loads(BODY), indent=2).encode(), "the body was parsed and serialized"),
        (BODY.replace(b"5", b"9"), None),
        (b"not JSON", None),
    ],
)
def test_it_says_how_the_body_was_changed(verify, body: bytes, hint: str | None) -> None:
    good, text = verify(headers(), body)

    assert not good
    assert "FAIL  webhook-signature: does not match the secret and body" in text
    assert "FAIL  x-service-signature: does not match the secret and body" in text
    if hint:
        assert hint in text
    else:
        assert "body was" not in text.replace("the secret and body", "")


def test_another_secret_does_not_match(verify) -> None:
    good, text = verify(headers(), BODY, secret=new_secret())

    assert (good, text.count("FAIL")) == (False, 2)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"webhook_id": None}, "webhook-signature: missing: webhook-id"),
        ({"webhook_id": "evt_2"}, "webhook-signature: does not match"),
        ({"webhook_timestamp": "soon"}, "webhook-timestamp: is not a whole number"),
        ({"webhook_signature": "v2,nothing"}, "webhook-signature: does not match"),
        ({"x_service_signature": None}, "x-service-signature: missing: x-service-signature"),
    ],
)
def test_it_names_the_header_at_fault(verify, changed: dict[str, str | None], said: str) -> None:
    good, text = verify(headers(**changed), BODY)

    assert not good
    assert f"FAIL  {said}" in text


def test_it_answers_in_json(verify) -> None:
    good, text = verify(headers(webhook_id="evt_2"), BODY, "--json")

    found = json.loads(text)
    assert (good, found["ok"], found["hint"]) == (False, False, None)
    assert [(check["name"], check["is_good"]) for check in found["checks"]] == [
        ("webhook-timestamp", True),
        ("webhook-signature", False),
        ("x-service-timestamp", True),
        ("x-service-signature", True),
    ]


@pytest.mark.parametrize(
    "secret",
    ["", "whsec_", "whsec_short", SECRET[:-1], SECRET[6:], f"{SECRET[:9]}!{SECRET[9:]}"],
    # The secret is another in each process.
    ids=["empty", "prefix", "short", "cut", "bare", "with a character that is none"],
)
def test_a_secret_has_a_form(verify, secret: str) -> None:
    with pytest.raises(CommandError, match="A secret is whsec_"):
        verify(headers(), BODY, secret=secret)


def test_a_request_has_headers_and_a_body(tmp_path: Path) -> None:
    file = tmp_path / "request"
    file.write_bytes(BODY)

    with pytest.raises(CommandError, match="no empty line"):
        call_command("verify_webhook", SECRET, str(file))


@pytest.mark.parametrize("at", ["now", "2026-11-21", "2026-11-21T14:00:00"])
def test_an_instant_without_a_time_zone_is_none(at: str) -> None:
    with pytest.raises(CommandError, match="--at must be an ISO 8601 instant with a time zone"):
        call_command("verify_webhook", SECRET, "--at", at)
