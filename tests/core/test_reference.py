"""GET /v1/openapi.json and /docs"""

import json
import re
from html import unescape

import pytest
from django.conf import settings

from merchants.models import Merchant
from tests.client import Api
from webhooks.samples import samples

pytestmark = pytest.mark.django_db

CODES = [
    "INVALID_REQUEST", "UNAUTHORIZED", "PAYMENT_NOT_FOUND", "MERCHANT_NOT_FOUND",
    "CUSTOMER_NOT_FOUND", "REFUND_NOT_FOUND", "PAYMENT_LINK_NOT_FOUND", "WEBHOOK_NOT_FOUND",
    "EVENT_NOT_FOUND", "DELIVERY_NOT_FOUND", "PAYOUT_NOT_FOUND", "NOT_FOUND",
    "METHOD_NOT_ALLOWED", "REQUEST_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "RATE_LIMITED",
    "CONFLICT", "VALIDATION_FAILED", "INVALID_AMOUNT", "PAYMENT_EXPIRED",
    "PAYMENT_ALREADY_COMPLETED", "PAYMENT_CANCELED", "PAYMENT_FAILED", "PAYMENT_IN_PROGRESS",
    "PAYMENT_NOT_COMPLETED", "REFUND_EXCEEDS_PAYMENT", "REFUND_AMOUNT_MISMATCH",
    "INSUFFICIENT_BALANCE", "INVALID_PIN", "PIN_LOCKED", "VERIFICATION_FAILED",
    "IDEMPOTENCY_KEY_REUSED", "SLUG_TAKEN", "PAYMENT_LINK_INACTIVE", "PAYMENT_LINK_EXPIRED",
    "MERCHANT_NOT_VERIFIED", "MERCHANT_INACTIVE", "DEVELOPMENT_ONLY", "INTERNAL_ERROR",
    "SERVICE_UNAVAILABLE", "INSUFFICIENT_SCOPE", "INQUIRY_NOT_FOUND", "INQUIRY_NOT_OPEN",
]  # fmt: skip

SPELLINGS = {
    "currency": {"BSD": 200, "USD": 200, "bsd": 400, "BS": 400, "BSDX": 400, "": 400},
    "date": {
        "2026-01-31": 200,
        "2026-01-31T09:30": 200,
        "2026-01-31T09:30:00": 200,
        "2026-01-31T09:30:00Z": 200,
        "2026-01-31T09:30:00.123456Z": 200,
        "2026-01-31T09:30:00.123456789Z": 200,
        "2026-01-31T09:30:00-05:00": 200,
        "2026-01-31 09:30:00+01:00": 200,
        "31.01.2026": 400,
        "2026-1-31": 400,
        "yesterday": 400,
        "1769850000": 400,
        "": 400,
    },
}


def test_the_document_explains_every_error_of_the_contract_and_no_other(openapi: str) -> None:
    document = json.loads(openapi)
    text = document["info"]["description"]

    assert document["openapi"].startswith("3.1")
    assert sorted(re.findall(r"^## ([A-Z_]+)$", text, re.MULTILINE)) == sorted(CODES)
    for part in ("Cause", "Remedy", "In test mode"):
        assert len(re.findall(rf"^- {part}: \S.+", text, re.MULTILINE)) == len(CODES)


def test_the_chapter_on_lists_names_what_a_list_has(openapi: str) -> None:
    document = json.loads(openapi)
    chapter = document["info"]["description"].partition("\n## Lists\n")[2].partition("\n#")[0]
    fields = document["components"]["schemas"]["PaymentSummaryList"]["properties"]

    assert [name for name in fields if f"`{name}`" not in chapter] == ["payments"]


def test_it_names_the_event_of_a_payment_that_brings_no_metadata(openapi: str) -> None:
    document = json.loads(openapi)
    without = [
        event
        for event, data in samples().items()
        if event.startswith("payment.") and "metadata" not in data
    ]

    assert without == ["payment.expired"]
    assert "`payment.expired` has only `payment_id`" in document["info"]["description"]


def test_no_operation_tells_of_the_inside(openapi: str) -> None:
    paths = json.loads(openapi)["paths"]
    operations = [operation for item in paths.values() for operation in item.values()]

    assert [op["summary"] for op in operations if "Caller" in op.get("description", "")] == []


def test_every_operation_describes_its_answers(openapi: str) -> None:
    paths = json.loads(openapi)["paths"]

    for path, operations in paths.items():
        for method, operation in operations.items():
            statuses = set(operation["responses"])
            assert statuses & {"200", "201"}, (method, path)
            assert {"400", "404", "422", "429", "500", "503"} <= statuses, (method, path)
            assert operation["summary"], (method, path)


def test_the_reference_is_served_from_here(api: Api) -> None:
    page = api(None).get("/docs")

    assert page.status_code == 200
    assert "cdn." not in page.content.decode()
    assert "fonts.googleapis" not in page.content.decode()


def test_the_reference_looks_like_our_pages(api: Api) -> None:
    page = api(None).get("/docs").content.decode()
    styles = (settings.BASE_DIR / "static/checkout/checkout.css").read_text()
    light, dark = styles.split("prefers-color-scheme: dark", 1)

    [themes] = re.findall(r'data-themes="([^"]+)"', page)
    for mode, colours in (("light", light), ("dark", dark)):
        colors = json.loads(unescape(themes))[mode]["colors"]
        assert f"--brand-text: {colors['primary']['main']};" in colours
        assert f"--ink: {colors['text']['primary']};" in colours
        assert f"--quiet: {colors['text']['secondary']};" in colours


def test_the_parameters_of_lists_have_types(openapi: str) -> None:
    """A client made of the document writes `metadata[order_id]=1001`, and a number as one."""
    paths = json.loads(openapi)["paths"]
    shown = {
        path: {one["name"]: one for one in paths[path]["get"]["parameters"]}
        for path in ("/v1/payments", "/v1/payment-links", "/v1/refunds", "/v1/payouts")
    }

    for path in ("/v1/payments", "/v1/payment-links"):
        metadata = shown[path]["metadata"]
        assert (metadata["in"], metadata["style"], metadata["explode"]) == (
            "query",
            "deepObject",
            True,
        )
        assert metadata["schema"]["additionalProperties"] == {"type": "string"}
    for parameters in shown.values():
        assert not [name for name in parameters if "[" in name]
        for name in ("amount", "amount_min", "amount_max"):
            schema = parameters[name]["schema"]
            assert (schema["type"], schema["minimum"]) == ("integer", 0)
    assert shown["/v1/payments"]["format"]["schema"]["enum"] == ["json", "csv"]
    assert "10,000" in shown["/v1/payments"]["limit"]["description"]
    assert "10,000" not in shown["/v1/refunds"]["limit"]["description"]


def test_a_filter_says_which_words_it_takes(openapi: str) -> None:
    """A client made of the document offers these words, instead of any text."""
    paths = json.loads(openapi)["paths"]
    words = {
        (path, one["name"]): one["schema"].get("enum", [])
        for path, item in paths.items()
        for one in item.get("get", {}).get("parameters", [])
        if re.search(r"\bOne of [a-z_]+, |`deep_link` or", one["description"])
        or one["name"] in ("status", "type", "payment_mode", "reason")
    }

    assert len(words) == 10
    for (path, name), allowed in words.items():
        assert allowed, (path, name)
    assert "requires_action" in words["/v1/payments", "status"]
    assert words["/v1/payments/{payment_id}", "qr_format"] == ["deep_link", "png"]
    assert "payment_link.payment.completed" in words["/v1/events", "type"]


@pytest.mark.parametrize("name", ["start_date", "end_date", "updated_since", "currency"])
def test_the_pattern_of_a_filter_has_the_spellings_that_it_takes(
    api: Api, merchant: Merchant, openapi: str, name: str
) -> None:
    parameters = json.loads(openapi)["paths"]["/v1/payments"]["get"]["parameters"]
    [schema] = [one["schema"] for one in parameters if one["name"] == name]
    spellings = SPELLINGS["currency" if name == "currency" else "date"]

    for text, status in spellings.items():
        assert bool(re.search(schema["pattern"], text)) is (status == 200), text
        assert api(merchant).get("/v1/payments", {name: text}).status_code == status, text
