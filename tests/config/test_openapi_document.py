"""GET /v1/openapi.json: made once, however often it is asked for."""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest

from config import reference
from merchants.models import Merchant
from tests.client import Api, ApiClient

PATH = "/v1/openapi.json"


def test_it_is_made_once(db: None) -> None:
    with mock.patch.object(reference, "_generate", wraps=reference._generate) as generate:
        first, second = (ApiClient().get(PATH) for _ in range(2))

    assert generate.call_count == 1
    assert second.content == first.content
    assert first["Content-Type"].startswith("application/vnd.oai.openapi+json")
    assert first.json()["openapi"].startswith("3.1")


def test_who_has_it_already_gets_it_no_second_time(db: None) -> None:
    known = ApiClient().get(PATH)["ETag"]

    response = ApiClient().get(PATH, If_None_Match=known)

    assert (response.status_code, response.content) == (304, b"")


def test_it_says_where_it_is_and_under_what_license(settings: Any, db: None) -> None:
    document = ApiClient().get(PATH).json()

    assert document["servers"] == [{"url": settings.BASE_URL}]
    assert document["info"]["license"] == {
        "name": "Proprietary",
        "identifier": "LicenseRef-Proprietary",
    }


def test_no_field_has_a_type_twice(db: None) -> None:
    """Generators of clients refuse the whole document for it."""
    document = ApiClient().get(PATH).json()

    assert [types for types in _lists_of_types(document) if len(set(types)) < len(types)] == []


def test_an_answer_that_can_be_a_file_says_so(db: None) -> None:
    document = ApiClient().get(PATH).json()

    files = {
        path
        for path, item in document["paths"].items()
        for each in item.values()
        if "text/csv" in each["responses"].get("200", {}).get("content", {})
    }
    assert files == {"/v1/payments", "/v1/statements/{statement_id}/lines"}


def test_a_post_has_the_headers_that_are_described(api: Api, merchant: Merchant) -> None:
    created = ApiClient().get(PATH).json()["paths"]["/v1/payments"]["post"]["responses"]["201"]
    body, key = {"amount": 100, "tip": 1}, "order-1001"
    first, again = (api(merchant).post("/v1/payments", body, idempotency_key=key) for _ in range(2))

    assert set(created["headers"]) == {"Idempotent-Replayed", "Location", "X-Service-Warning"}
    assert all(again.has_header(name) for name in created["headers"])
    assert not first.has_header("Idempotent-Replayed")


@pytest.mark.parametrize(
    ("code", "header"),
    [
        ("UNAUTHORIZED", "WWW-Authenticate"),
        ("CONFLICT", "Retry-After"),
        ("RATE_LIMITED", "Retry-After"),
        ("SERVICE_UNAVAILABLE", "Retry-After"),
    ],
)
def test_a_refusal_has_the_header_that_is_described(
    api: Api, merchant: Merchant, code: str, header: str
) -> None:
    response = api(merchant).get("/v1/payments", simulate_error=code)

    described = ApiClient().get(PATH).json()["components"]["responses"]
    assert set(described[f"Error{response.status_code}"]["headers"]) == {header}
    assert response.has_header(header)


def test_a_wrong_method_has_the_header_that_is_described(api: Api, merchant: Merchant) -> None:
    described = ApiClient().get(PATH).json()["components"]["responses"]["Error405"]

    assert set(described["headers"]) == {"Allow"}
    assert api(merchant).delete("/v1/payments")["Allow"] == "GET, POST, HEAD"


def test_a_merchant_in_an_address_is_for_every_mode(db: None) -> None:
    read = ApiClient().get(PATH).json()["paths"]["/v1/merchants/{merchant_id}"]["get"]

    assert [one["description"] for one in read["parameters"]] == ["The id of the merchant."]


def test_what_counts_is_an_integer_on_every_page(db: None) -> None:
    document = ApiClient().get(PATH).json()

    counting = {
        (parameter["name"], parameter["schema"]["type"])
        for item in document["paths"].values()
        for operation in item.values()
        for parameter in operation.get("parameters", ())
        if parameter["name"] in ("limit", "offset", "after", "wait")
    }
    assert counting == {(name, "integer") for name in ("limit", "offset", "after", "wait")}


def test_its_words_hold_no_script(db: None) -> None:
    """Linters take one for an attack, also where it is an example."""
    assert "<script" not in ApiClient().get(PATH).json()["info"]["description"]


def _lists_of_types(node: Any) -> Iterator[list[str]]:
    if isinstance(node, dict):
        if isinstance(node.get("type"), list):
            yield node["type"]
        for child in node.values():
            yield from _lists_of_types(child)
    elif isinstance(node, list):
        for child in node:
            yield from _lists_of_types(child)
