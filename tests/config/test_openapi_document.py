"""GET /v1/openapi.json: made once, however often it is asked for."""

from collections.abc import Iterator
from typing import Any
from unittest import mock

from config import reference
from tests.client import ApiClient

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
