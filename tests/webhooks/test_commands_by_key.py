"""The commands of developers work with an address and a key, and then need no database."""

import io
import json
from typing import Any
from urllib.parse import urlencode

import pytest
import requests
from django.core.management import CommandError, call_command

from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import issue_key
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.client import ApiClient
from tests.webhooks.conftest import MakeEndpoint
from webhooks.delivery.signing import new_secret, signature_headers
from webhooks.event_types import EventType
from webhooks.models import Delivery, Event
from webhooks.samples import sample_of

API = "https://pay.example.com"


class Wire:
    """Leads what a command sends to the service, or to an application, which notes it."""

    def __init__(self) -> None:
        self.forwarded: list[bytes] = []

    def request(self, session: Any, method: str, url: str, **options: Any) -> requests.Response:
        answer = requests.Response()
        if not url.startswith(API):
            self.forwarded.append(options["data"])
            answer.status_code = 204
            return answer
        client = ApiClient(session.headers["Authorization"].removeprefix("Bearer "))
        path = url.removeprefix(API)
        if query := options.get("params"):
            path += f"?{urlencode({name: value for name, value in query.items() if value != ''})}"
        sent = client.post(path, options["json"]) if method == "POST" else client.get(path)
        answer.status_code, answer._content = sent.status_code, sent.content
        return answer


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    wire = Wire()
    monkeypatch.setattr(
        requests.Session,
        "request",
        lambda session, *args, **more: wire.request(session, *args, **more),
    )
    return wire


@pytest.fixture
def key(merchant: Merchant) -> str:
    return issue_key(merchant=merchant, livemode=False, name="Tools", now=utc_now()).secret


def said(*words: str, key: str, output: io.StringIO | None = None) -> str:
    output = io.StringIO() if output is None else output
    call_command(*words, "--api", API, "--key", key, stdout=output, stderr=io.StringIO())
    return output.getvalue().strip()


def test_time_passes_and_a_payment_expires(wire: Wire, key: str, payment: Payment) -> None:
    counts = json.loads(said("advance", "--hours", "1", "--json", key=key))

    assert counts["payments"] == 1
    assert said("expire", payment.id, key=key) == f"{payment.id}  expired"
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.EXPIRED


def test_an_event_is_sent_again(wire: Wire, key: str, merchant: Merchant) -> None:
    client = ApiClient(key)
    client.post("/v1/webhooks", {"url": "https://example.com/hook", "events": ["*"]})
    client.post("/v1/payments", {"amount": 1})
    delivery = Delivery.objects.get()
    Delivery.objects.update(status="failed", ended_at=utc_now(), next_attempt_at=None)

    line_said = said("resend", delivery.event_id, key=key)

    assert line_said == f"{delivery.id}  on its way to https://example.com/hook"
    with pytest.raises(CommandError, match="It was not sent to any endpoint"):
        said("resend", "dlv_0", key=key)
    with pytest.raises(CommandError, match=r"^There is no event or delivery evt_0\.$"):
        said("resend", "evt_0", key=key)


def test_what_no_endpoint_listens_for_is_not_triggered(wire: Wire, key: str) -> None:
    with pytest.raises(CommandError, match=r"No endpoint subscribes to refund\.created"):
        said("trigger", "refund.created", key=key)


def test_what_was_not_delivered_is_said(wire: Wire, key: str, endpoint: MakeEndpoint) -> None:
    good, bad = endpoint(), endpoint("/say/500")
    output = io.StringIO()
    words = ("trigger", "payment.created", "--api", API, "--key", key)

    for more in ((), ("--json",)):
        with pytest.raises(CommandError, match=r"^1 of 2 did not acknowledge it\.$"):
            call_command(*words, *more, stdout=output, stderr=io.StringIO())

    lines = output.getvalue().splitlines()
    assert f"sent to {good.url}" in lines[:2]
    assert [line for line in lines if line.startswith(f"not delivered to {bad.url}: ")]
    assert sorted(json.loads(line)["delivered"] for line in lines[2:]) == [False, True]


def test_values_can_be_put_into_what_is_triggered(
    wire: Wire, key: str, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    endpoint(events=("payment.*",))
    ApiClient(key).post("/v1/payments", {"amount": 17, "description": "Tea"})
    original = Event.objects.get()
    words = ("--override", "data.metadata.order_id=7", "--json")

    plain = json.loads(said("trigger", "payment.created", *words, key=key))["event"]
    copied = json.loads(said("trigger", "payment.created", "--from", original.id, *words, key=key))[
        "event"
    ]

    sample = sample_of(EventType.PAYMENT_CREATED, merchant_id=merchant.id)
    assert plain["data"] == sample | {"metadata": {**sample["metadata"], "order_id": 7}}
    metadata = original.content["data"].get("metadata", {})
    assert copied["data"] == original.content["data"] | {"metadata": {**metadata, "order_id": 7}}
    with pytest.raises(CommandError, match=r"is a payment\.created event"):
        said("trigger", "payment.failed", "--from", original.id, key=key)


def test_a_request_is_known_or_not(wire: Wire, key: str, tmp_path: Any) -> None:
    ApiClient(key).post("/v1/payments", {"amount": 1})
    event, secret, at = Event.objects.get(), new_secret(), utc_now()
    body = bytes(event.body)
    for event_id, is_known in ((event.id, True), (f"{event.id[:-1]}_", False)):
        signed = signature_headers(
            event_id=event_id, body=body, at=at, secret=secret, previous=None
        )
        head = "".join(f"{name}: {value}\n" for name, value in signed.items()).encode()
        file = tmp_path / "request"
        file.write_bytes(head + b"\n" + body)
        if is_known:
            assert "is an event of this merchant" in said(
                "verify_webhook", secret, str(file), "--at", at.isoformat(), key=key
            )
        else:
            output = io.StringIO()
            with pytest.raises(SystemExit):
                said(
                    *("verify_webhook", secret, str(file), "--at", at.isoformat()),
                    key=key,
                    output=output,
                )
            assert "FAIL  webhook-id: is no event of this merchant" in output.getvalue()


def test_it_follows_the_list_of_events(
    wire: Wire, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, send = ApiClient(key), wire.request
    client.post("/v1/payments", {"amount": 1})

    def request(session: Any, method: str, url: str, **options: Any) -> requests.Response:
        if "wait" in (options.get("params") or {}):
            options["params"].pop("wait")
            client.post("/v1/payments", {"amount": 2})
        return send(session, method, url, **options)

    monkeypatch.setattr(wire, "request", request)
    words = ("--events", "payment.*", "--exit-after", "payment.created", "--json")
    seen = json.loads(said("listen", *words, key=key))

    assert seen["data"]["amount"] == 2


@pytest.mark.parametrize("words", [["advance", "--days", "1"], ["expire", "pay_0"], ["listen"]])
def test_it_needs_no_database(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    def refuse(*_: Any, **__: Any) -> requests.Response:
        raise requests.ConnectionError

    monkeypatch.setattr(requests.Session, "request", refuse)
    with pytest.raises(CommandError, match="does not answer: ConnectionError"):
        said(*words, key="sk_test_x")


def test_it_takes_test_keys_only(wire: Wire) -> None:
    with pytest.raises(CommandError, match="needs a test key"):
        said("advance", "--days", "1", key="sk_live_x")
    with pytest.raises(CommandError, match="requires --api"):
        call_command("expire", "pay_0", "--key", "sk_test_x")


def test_a_refusal_is_told_in_the_words_of_the_service(wire: Wire, key: str) -> None:
    with pytest.raises(CommandError, match="PAYMENT_NOT_FOUND: There is no such payment"):
        said("expire", "pay_0", key=key)


@pytest.mark.parametrize(
    ("types", "lines"),
    [("refund.*", []), ("payment.*", ["502  not passed on: ConnectionError"])],
)
def test_it_says_what_was_not_passed_on_and_that_there_is_nothing_more(
    wire: Wire, key: str, monkeypatch: pytest.MonkeyPatch, types: str, lines: list[str]
) -> None:
    client, send, output = ApiClient(key), wire.request, io.StringIO()

    def request(session: Any, method: str, url: str, **options: Any) -> requests.Response:
        if not url.startswith(API):
            raise requests.ConnectionError
        if (options.get("params") or {}).pop(
            "wait", None
        ) is not None and not Payment.objects.exists():
            client.post("/v1/payments", {"amount": 2})
        return send(session, method, url, **options)

    monkeypatch.setattr(wire, "request", request)
    words = ("--events", types, "--forward-to", "http://127.0.0.1/", "--timeout", "0.5")
    with pytest.raises(CommandError, match=r"^Nothing more within 0\.5 s\.$"):
        call_command(
            "listen", "--api", API, "--key", key, *words, stdout=output, stderr=io.StringIO()
        )

    assert output.getvalue().splitlines() == lines
