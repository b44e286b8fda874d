"""GET /v1/openapi.json: made once, however often it is asked for."""

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
