"""Bodies that no handler should see: each is refused in JSON, quickly, and nothing is stored."""

import gzip
import io
import time
from typing import Any

import pytest

from merchants.models import Merchant
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.client import Api
from tests.payments.journeys import bring_to
from webhooks.models import Event

pytestmark = pytest.mark.django_db
SECONDS = 1.0  # of the thread that reads it: others may have the machine meanwhile

BROKEN = {
    "empty object key twice": b'{"amount": 1, "amount": 100}',
    "nested key twice": b'{"amount": 1, "metadata": {"a": 1, "a": 2}}',
    "NaN": b'{"amount": NaN}',
    "Infinity": b'{"amount": 1, "metadata": {"a": Infinity}}',
    "NUL in a value": b'{"amount": 1, "description": "a\\u0000b"}',
    "NUL in metadata": b'{"amount": 1, "metadata": {"a": "\\u0000"}}',
    "NUL in a key": b'{"amount": 1, "metadata": {"\\u0000": 1}}',
    "lone surrogate": b'{"amount": 1, "metadata": {"a": "\\ud800"}}',
    "surrogates turned around": b'{"amount": 1, "description": "\\udc00\\ud800"}',
    "33 levels": b'{"a":' * 33 + b"1" + b"}" * 33,
    "100,000 levels": b"[" * 100_000,
    "truncated": b'{"amount": 1',
    "not JSON": b"amount=1",
    "byte order mark": b'\xef\xbb\xbf{"amount": 1}',
    "UTF-16": '{"amount": 1}'.encode("utf-16"),
    "bad UTF-8": b'{"amount": 1, "description": "\xff"}',
    "an array": b"[1]",
    "a number": b"1",
    "a text": b'"amount"',
    "null": b"null",
    "gzip": gzip.compress(b'{"amount": 1}'),
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_it_cannot_be_understood(api: Api, merchant: Merchant, body: bytes) -> None:
    client = api(merchant)
    client.get("/v1/payments")  # the first request of all loads what later ones find loaded
    begun = time.thread_time()
    response = client.post("/v1/payments", body)

    assert time.thread_time() - begun < SECONDS
    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    assert all(isinstance(value, str) for value in response.json().values())
    assert response["Content-Type"] == "application/json"
    assert Payment.objects.count() == Event.objects.count() == 0


@pytest.mark.parametrize("body", [b"[1]", b"[]", b"1", b"0", b"false", b'"amount"', b'""'])
def test_it_is_no_object_either_where_none_is_read(
    api: Api, merchant: Merchant, payment: Payment, body: bytes
) -> None:
    response = api(merchant).post(f"/v1/payments/{payment.id}/cancel", body)

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    assert response.json()["details"] == "The body must be a JSON object."
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CREATED


def test_a_byte_order_mark_is_named(api: Api, merchant: Merchant) -> None:
    response = api(merchant).post("/v1/payments", BROKEN["byte order mark"])

    assert response.json()["details"] == "The body must not begin with a byte order mark."


@pytest.mark.parametrize(
    ("body", "details"),
    [
        (b'{"amount": 1, "amount": 100}', "amount: must be given once in an object"),
        (
            b'{"amount": 1, "metadata": {"a": 1, "b": 1, "b": 2}}',
            "b: must be given once in an object",
        ),
        (
            b'{"amount": 1, "description": "a\\u0000b"}',
            "description: must not contain NUL or a lone surrogate",
        ),
        (
            b'{"amount": 1, "line_items": [{"name": "a"}, {"name": "\\ud800"}]}',
            "line_items.1.name: must not contain NUL or a lone surrogate",
        ),
        (
            b'{"amount": 1, "metadata": {"\\u0000": 1}}',
            "metadata.\\x00: must not contain NUL or a lone surrogate",
        ),
        (b'"\\u0000"', "A text must not contain NUL or a lone surrogate"),
    ],
)
def test_the_field_that_cannot_be_understood_is_named(
    api: Api, merchant: Merchant, body: bytes, details: str
) -> None:
    response = api(merchant).post("/v1/payments", body)

    assert (response.status_code, response.json()["details"]) == (400, details)


def test_32_levels_can_be_understood(api: Api, merchant: Merchant) -> None:
    body = b'{"amount": 1, "unknown": ' + b"[" * 31 + b"]" * 31 + b"}"
    assert api(merchant).post("/v1/payments", body).status_code == 201


def test_brackets_in_a_text_are_no_levels(api: Api, merchant: Merchant) -> None:
    body = b'{"amount": 1, "description": "' + b'[{\\"' * 100 + b'"}'
    assert api(merchant).post("/v1/payments", body).status_code == 201


@pytest.mark.parametrize("size", [256 * 1024 + 1, 10_000_000])
def test_it_is_too_large(api: Api, merchant: Merchant, size: int) -> None:
    body = b'{"amount": 1, "unknown": "' + b"x" * size + b'"}'

    response = api(merchant).post("/v1/payments", body)

    assert (response.status_code, response.json()["code"]) == (413, "REQUEST_TOO_LARGE")
    assert response.json()["details"] == "The body must not be larger than 262144 bytes."


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "*/*",
        "application/*",
        "application/vnd.api+json",
        "application/json, text/plain",
        "application/json; charset=utf-16",
        "application/json; charset=bz2",
        "application/json; charset=rot13",
        "application/json; charset=idna",
        "application/json; charset=bogus",
    ],
)
def test_it_is_of_another_type(api: Api, merchant: Merchant, content_type: str) -> None:
    client = api(merchant)
    response = client.client.generic(
        "POST",
        "/v1/payments",
        b'{"amount": 1}',
        content_type=content_type,
        headers={"Authorization": f"Bearer {client.secret}"},
    )

    assert (response.status_code, response.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert response.json()["details"].startswith("Content-Type: ")
    assert Payment.objects.count() == 0


def test_it_is_compressed(api: Api, merchant: Merchant) -> None:
    response = api(merchant).post("/v1/payments", {"amount": 1}, content_encoding="gzip")

    assert (response.status_code, response.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert response.json()["details"] == "Content-Encoding: must not be sent."
    assert Payment.objects.count() == 0


def test_a_missing_type_is_refused(api: Api, merchant: Merchant) -> None:
    client = api(merchant)
    response = client.client.generic(
        "POST",
        "/v1/payments",
        b'{"amount": 1}',
        content_type="",
        headers={"Authorization": f"Bearer {client.secret}"},
    )
    assert (response.status_code, response.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert Payment.objects.count() == 0


@pytest.mark.parametrize("act", ["cancel", "refund"])
def test_no_body_needs_no_type(api: Api, merchant: Merchant, payment: Payment, act: str) -> None:
    client = api(merchant)
    if act == "refund":
        bring_to(payment, PaymentStatus.COMPLETED)
    response = client.client.generic(
        "POST",
        f"/v1/payments/{payment.id}/{act}",
        headers={"Authorization": f"Bearer {client.secret}"},
    )
    assert response.status_code in (200, 201), response.json()


@pytest.mark.parametrize(
    ("sent", "headers"),
    [
        (b'{"amount": 1}', {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}),
        (b"", {"HTTP_TRANSFER_ENCODING": "chunked"}),
        (b"", {"CONTENT_LENGTH": "13"}),
        (b'{"amount": 1', {"CONTENT_LENGTH": "13"}),
    ],
)
def test_half_a_body_is_not_taken_for_none(
    api: Api, merchant: Merchant, payment: Payment, sent: bytes, headers: dict[str, Any]
) -> None:
    """A refund of one cent that is cut off, or comes in chunks, must not become one of all."""
    bring_to(payment, PaymentStatus.COMPLETED)
    client = api(merchant)
    response = client.client.generic(
        "POST",
        f"/v1/payments/{payment.id}/refund",
        headers={"Authorization": f"Bearer {client.secret}"},
        CONTENT_TYPE="application/json",
        **headers,
        **{"wsgi.input": io.BytesIO(sent)},  # type: ignore[arg-type]  # goes into the environ
    )

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    payment.refresh_from_db()
    assert payment.amount_refunded == 0


@pytest.mark.parametrize("accept", ["text/html", "application/xml;q=0.9", "\xff;;q=x", ""])
def test_it_answers_in_json_whatever_is_accepted(api: Api, merchant: Merchant, accept: str) -> None:
    response = api(merchant).get("/v1/payments", Accept=accept)

    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
