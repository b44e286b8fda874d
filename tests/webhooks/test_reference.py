"""What the reference tells merchants to do, done."""

import json
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.clock import utc_now
from merchants.models import Merchant
from tests.client import Api
from tests.machine import need
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, send_due
from tests.webhooks.receiver import Received, Receiver
from webhooks.delivery.signing import new_secret, signature_headers
from webhooks.event_schemas import _schema_of, add_event_schemas, event_name
from webhooks.event_types import MEANINGS, EventType
from webhooks.reference import BODY_ONLY, HEADERS
from webhooks.samples import samples

PYTHON_CALL = """
import sys
print(json.dumps(read_event(json.loads(sys.argv[1]), sys.stdin.buffer.read())))
"""
JAVASCRIPT_CALL = """
import { readFileSync } from "node:fs";
console.log(JSON.stringify(readEvent(JSON.parse(process.argv[2]), readFileSync(0))));
"""


@pytest.fixture
def document(openapi: str) -> dict[str, Any]:
    return json.loads(openapi)


@pytest.fixture(params=["python", "js"])
def program(request: pytest.FixtureRequest, document: dict[str, Any], tmp_path: Path) -> list[str]:
    """Write the first sample of the language down as a program; return how to call it."""
    language: str = request.param
    if language == "js":
        need("node", "Node")
    chapter = document["info"]["description"].partition("## Receiving events")[2]
    sample = re.findall(rf"```{language}\n(.*?)```", chapter, re.DOTALL)[0]
    file = tmp_path / ("read.py" if language == "python" else "read.mjs")
    file.write_text(sample + (PYTHON_CALL if language == "python" else JAVASCRIPT_CALL))
    return [sys.executable if language == "python" else "node", str(file)]


def run(program: list[str], secret: str, headers: dict[str, str], body: bytes) -> str:
    """Return what the program printed, or the last line of its complaint."""
    done = subprocess.run(
        [*program, json.dumps(headers)],
        env={"WEBHOOK_SECRET": secret, "PATH": "/usr/local/bin:/usr/bin:/bin"},
        input=body,
        capture_output=True,
        check=False,
    )
    return (done.stdout if done.returncode == 0 else done.stderr).decode()


def test_the_sample_code_reads_what_we_send(program: list[str], sent: tuple[str, Received]) -> None:
    secret, request = sent

    assert json.loads(run(program, secret, request.headers, request.body)) == json.loads(
        request.body
    )


def test_during_a_rotation_either_secret_will_do(
    api: Api,
    program: list[str],
    merchant: Merchant,
    endpoint: MakeEndpoint,
    receiver: Receiver,
) -> None:
    webhook = endpoint()
    old = webhook.plain_secret  # type: ignore[attr-defined]  # set by the fixture
    path = f"/v1/webhooks/{webhook.id}/rotate-secret"
    new = api(merchant).post(path, {}).json()["secret"]
    emit_event(merchant)
    send_due()
    [request] = receiver.received(webhook.url)

    for secret in (old, new):
        assert json.loads(run(program, secret, request.headers, request.body))


@pytest.mark.parametrize("change", ["body", "secret", "id", "old"])
def test_it_refuses_what_is_forged_or_stale(
    program: list[str], sent: tuple[str, Received], change: str
) -> None:
    secret, request = sent
    headers, body = dict(request.headers), request.body
    match change:
        case "body":
            body = body.replace(b"1250", b"9250")
        case "secret":
            secret = new_secret()
        case "id":
            headers["webhook-id"] = "evt_another"
        case "old":
            headers["webhook-timestamp"] = str(int(headers["webhook-timestamp"]) - 301)

    assert "This request is not from the payment service." in run(program, secret, headers, body)


def test_it_refuses_what_was_recorded_long_ago(program: list[str]) -> None:
    secret = new_secret()
    headers = signature_headers(
        event_id="evt_1",
        body=b"{}",
        at=utc_now() - timedelta(seconds=301),
        secret=secret,
        previous=None,
    )

    assert "This request is too old." in run(program, secret, headers, b"{}")


def test_the_short_way_holds_too(sent: tuple[str, Received]) -> None:
    secret, request = sent
    names: dict[str, Any] = {"SECRET": secret, "headers": request.headers, "body": request.body}

    exec("import hmac, time\n" + BODY_ONLY, names)

    assert (names["is_genuine"], names["is_fresh"]) == (True, True)


def test_every_type_stands_there_with_what_a_test_event_sends(
    api: Api,
    merchant: Merchant,
    endpoint: MakeEndpoint,
    receiver: Receiver,
    document: dict[str, Any],
) -> None:
    webhook = endpoint()
    assert list(document["webhooks"]) == EventType.values

    for event_type, operations in document["webhooks"].items():
        body = {"webhook_id": webhook.id, "event_type": event_type}
        api(merchant).post("/v1/webhooks/test", body)
        sent = json.loads(receiver.received(webhook.url)[-1].body)
        example = operations["post"]["requestBody"]["content"]["application/json"]["example"]
        assert list(example) == [*sent, "sequence", "previous_sequence"]
        assert example["type"] == event_type
        assert sent["data"] == example["data"] | named(sent["data"], merchant)


def named(data: dict[str, Any], merchant: Merchant) -> dict[str, str]:
    """Return what a test event has of its merchant, where its sample has one."""
    return {"merchant_id": merchant.id} if "merchant_id" in data else {}


def test_every_header_that_it_names_is_sent(sent: tuple[str, Received]) -> None:
    _, request = sent

    assert [name for name in HEADERS if name.lower() not in request.headers] == []


def test_each_example_of_an_event_has_what_its_schema_requires(openapi: str) -> None:
    document = json.loads(openapi)
    schemas = document["components"]["schemas"]

    assert len(document["webhooks"]) == len(EventType)
    told_apart = schemas["EventOutput"]["discriminator"]
    assert told_apart["propertyName"] == "type"
    assert told_apart["mapping"]["payment.failed"].endswith("/PaymentFailedEvent")
    for event_type, item in document["webhooks"].items():
        content = item["post"]["requestBody"]["content"]["application/json"]
        schema = schemas[content["schema"]["$ref"].rpartition("/")[2]]
        assert set(schema["required"]) <= content["example"].keys(), event_type
        assert schema["properties"].keys() >= content["example"].keys(), event_type
        for name, value in content["example"].items():
            assert schema["properties"][name].get("format") == _format_of(value), (event_type, name)


REQUIRED = ["id", "type", "created", "data", "livemode", "test"]


@pytest.fixture
def schemas() -> dict[str, Any]:
    """The schemas of events, made here: the document is made once, for all tests of a run."""
    names = [*REQUIRED, "sequence", "previous_sequence"]
    envelope = {"properties": {name: {"type": "any"} for name in names}, "required": REQUIRED}
    made = {"EventOutput": envelope}
    add_event_schemas(made, samples())
    return made


@pytest.mark.parametrize("event_type", EventType)
def test_an_event_and_its_payload_say_what_they_are(
    schemas: dict[str, Any], event_type: EventType
) -> None:
    name = event_name(event_type)
    payload = f"{name.removesuffix('Event')}Data"
    event, data = schemas[name], schemas[payload]

    assert (event["type"], event["description"]) == ("object", MEANINGS[event_type])
    assert event["properties"]["type"] == {
        "type": "string", "enum": [event_type.value], "description": f"`{event_type.value}`.",
    }  # fmt: skip
    assert event["properties"]["data"] == {
        "$ref": f"#/components/schemas/{payload}", "description": "The payload.",
    }  # fmt: skip
    assert event["required"] == REQUIRED
    [example] = event["examples"]
    assert list(example) == list(event["properties"])
    assert data["properties"].keys() == example["data"].keys()
    assert data["required"] == [next(iter(example["data"]))]
    assert (data["type"], data["description"]) == (
        "object",
        f"The payload of `{event_type.value}`.",
    )
    for described in (event, data):
        for field, shape in described["properties"].items():
            assert re.fullmatch(r"(?s)[A-Z`].+\.", shape["description"]), field
    union = schemas["EventOutput"]
    assert {"$ref": f"#/components/schemas/{name}"} in union["oneOf"]
    assert union["discriminator"]["propertyName"] == "type"
    assert union["discriminator"]["mapping"][event_type] == f"#/components/schemas/{name}"


def _format_of(value: object) -> str | None:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", str(value)):
        return "date"
    return "date-time" if re.fullmatch(r"\d{4}-\d\d-\d\dT.+Z", str(value)) else None


@pytest.mark.parametrize(
    ("name", "value", "schema"),
    [
        ("metadata", {"n": 1}, {"type": "object"}),
        ("line_items", [{"n": 1}], {"type": "array", "items": {"type": "object"}}),
        ("amount", 5, {"type": "integer"}),
        ("completed_at", "2026-11-26T09:00:00Z", {"type": "string", "format": "date-time"}),
        ("due_date", "2026-11-26", {"type": "string", "format": "date"}),
        ("order_id", "A-1", {"type": "string"}),
    ],
)
def test_the_schema_of_a_value_is_that_of_its_sample(
    name: str, value: object, schema: dict[str, object]
) -> None:
    assert _schema_of(name, value) == schema
