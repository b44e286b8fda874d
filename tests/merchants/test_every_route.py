"""Every address of the API needs a key, and hides what belongs to others. New ones too."""

from typing import Any

import pytest

from merchants.keys import new_secret
from merchants.viewsets import CallerViewSet
from tests.client import ApiClient
from tests.routes import address_of, routes

OPEN = {"front-of-v1", "merchants", "openapi", "public-payment-link"}
# What a live key is told before anything is looked up.
REFUSED_LIVE = dict.fromkeys(
    (
        "v1/payments/<id:payment_id>/confirm",
        "v1/payments/<id:payment_id>/simulate",
        "v1/payments/<id:payment_id>/expire",
        "v1/payment-links/<id:link_id>/expire",
    ),
    (422, "DEVELOPMENT_ONLY"),
)

# What is needed before anything is looked up.
BODIES = {
    "v1/webhooks/<id:webhook_id>/recover": {"since": "2026-01-31T09:30:00.000Z"},
    "v1/payments/<id:payment_id>/simulate": {"outcome": "paid"},
    "v1/payments/<id:payment_id>/send": {"email": "ana@example.com"},
    "v1/payment-links/<id:link_id>/send": {"email": "ana@example.com"},
    "v1/inquiries/<id:inquiry_id>/answer": {"text": "It is on its way."},
}


API = [(place, p) for place, p in routes() if place.startswith("v1/")]
KEYED: list[tuple[str, str]] = sorted(
    (method, place)
    for place, pattern in API
    if issubclass(getattr(pattern.callback, "cls", object), CallerViewSet)
    for method in getattr(pattern.callback, "actions", {})
    if method != "head"
)
UNKNOWN = new_secret(livemode=False)


def test_only_these_addresses_are_open():
    keyed = {place for _, place in KEYED}

    assert {pattern.name for place, pattern in API if place not in keyed} == OPEN


@pytest.mark.parametrize(("method", "place"), KEYED)
@pytest.mark.parametrize("key", [None, "sk_test_x", UNKNOWN], ids=["none", "half", "unknown"])
def test_it_wants_a_key(db, method, place, key):
    headers = {} if key is None else {"authorization": f"Bearer {key}"}

    response = _call(ApiClient(), method, place, headers)

    assert response.status_code == 401
    assert response.json()["code"] == "UNAUTHORIZED"
    assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(("method", "place"), [row for row in KEYED if "<" in row[1]])
@pytest.mark.parametrize("live", [False, True])
def test_it_knows_no_such_object(api, merchant, method, place, live):
    response = _call(api(merchant, live=live), method, place, {})

    status, code = REFUSED_LIVE.get(place, (404, "NOT_FOUND")) if live else (404, "NOT_FOUND")
    assert response.status_code == status
    assert response.json()["code"].endswith(code)


@pytest.mark.parametrize("place", [place for place, _ in API])
def test_it_says_nothing_of_itself_to_options(api, merchant, place):
    response = api(merchant).client.generic("OPTIONS", address_of(place))

    keyed = place in {place for _, place in KEYED}
    assert response.status_code == (401 if keyed else 405)


def _call(client: ApiClient, method: str, place: str, headers: dict[str, str]) -> Any:
    body = BODIES.get(place) if method == "post" else None
    return getattr(client, method)(address_of(place), body, **headers)


def test_what_every_request_is_asked_and_every_answer_carries(api, merchant, settings):
    settings.RATE_LIMITS = True
    client, path = api(merchant), "/v1/payments"
    made = client.post(path, {"amount": 100, "colour": "red"})
    assert (made.status_code, made["X-Service-Warning"]) == (201, "colour: is unknown")
    assert (made["Cache-Control"], made["Location"]) == ("no-store", f"{path}/{made.json()['id']}")
    strict = client.post(path, {"amount": 100, "colour": "red"}, x_service_strict="true")
    asked = client._send("GET", path, b'{"colour": "red"}', {})
    unknown = client.get(path, {"colour": "red"})
    no_object = client.post(path, ["amount"])
    answers = (strict, asked, unknown, no_object)
    assert [answer.status_code for answer in answers] == [422, 400, 400, 400]
    put = client._send("PUT", f"{path}?colour=red", b'{"colour": "red"}', {})
    assert (put.status_code, put.json()["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert client.get(path, {"q": "nothing"}).json()["payments"] == []
    asked_for = {"status": made.json()["status"]}
    assert client.get(path, asked_for).json()["payments"][0]["id"] == made.json()["id"]
    page = client.get(path, {"limit": "1"})
    assert page["RateLimit"].startswith('"burst";r=')
    body = page.json()
    assert [payment["id"] for payment in body.pop("payments")] == [made.json()["id"]]
    assert body == {"total": 1, "limit": 1, "offset": 0, "has_more": False}


def test_an_error_is_simulated_in_test_mode_only(api, merchant):
    asked = {"simulate_error": "PAYMENT_NOT_FOUND"}
    callers = (api(merchant), api(merchant, live=True))
    statuses = [caller.get("/v1/payments", **asked).status_code for caller in callers]

    assert statuses == [404, 200]
