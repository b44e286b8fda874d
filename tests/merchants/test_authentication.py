"""Who is calling: every row of the table."""

import pytest
from django.db import connection

from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import issue_key
from merchants.statuses import MerchantStatus
from tests.client import ApiClient

pytestmark = pytest.mark.urls("tests.merchants.echo")

NO_KEY = {
    "error": "A valid API key is needed.",
    "code": "UNAUTHORIZED",
    "details": "Send the header Authorization: Bearer <API key>.",
}
OTHER_MERCHANT = "merchant_id: must be the merchant of the API key, or left out"


def issue(merchant, *, live=False):
    return issue_key(merchant=merchant, livemode=live, name="Under test", now=utc_now())


def caller(merchant, actor, *, live=False):
    return {"merchant": merchant and merchant.id, "livemode": live, "actor": actor}


def assert_refused(response, body):
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response.json() == body


# The table


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("development_mode", [False, True])
def test_it_takes_a_key_for_its_merchant_and_mode(merchant, settings, live, development_mode):
    settings.DEVELOPMENT_MODE = development_mode
    issued = issue(merchant, live=live)

    response = ApiClient(issued.secret).get("/v1/echo")

    assert response.json() == caller(merchant, f"key:{issued.key.id}", live=live)


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ({"merchant_id": "id"}, None),
        ({"merchant_slug": "slug"}, None),
        (None, {"merchant_id": "id"}),
        (None, {"merchant_slug": "slug"}),
        ({"merchant_slug": "slug"}, {"merchant_id": "id"}),
    ],
)
def test_it_takes_who_is_named_in_development(merchant, stranger, development, query, body):
    names = {place: getattr(merchant, field) for place, field in (query or {}).items()}
    path = "/v1/echo?" + "&".join(f"{name}={value}" for name, value in names.items())
    named = {place: getattr(merchant, field) for place, field in (body or {}).items()}

    response = ApiClient().patch(path, named)

    assert response.json() == caller(merchant, "development")


def test_it_takes_no_merchant_for_an_object_in_development(merchant, development):
    response = ApiClient().get("/v1/echo/pay_1")

    assert response.json() == caller(None, "development")


def test_it_refuses_whom_it_does_not_know_in_development(merchant, stranger, development):
    unknown = ApiClient().get("/v1/echo", {"merchant_id": "mer_unknown"})
    contradiction = ApiClient().patch(
        f"/v1/echo?merchant_id={merchant.id}", {"merchant_slug": stranger.slug}
    )

    for response in (unknown, contradiction):
        assert response.status_code == 404
        assert response.json()["code"] == "MERCHANT_NOT_FOUND"


@pytest.mark.parametrize("value", [5, True, [], {}])
def test_it_says_what_a_name_must_be_in_development(db, development, value):
    response = ApiClient().patch("/v1/echo", {"merchant_id": value})

    assert response.status_code == 422
    assert response.json()["details"] == "merchant_id: must be a string"


def test_it_asks_for_a_merchant_where_something_new_needs_one(db, development):
    response = ApiClient().post("/v1/echo", {"merchant_id": None})

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert response.json()["details"] == "merchant_id: is required without an API key"


@pytest.mark.parametrize("path", ["/v1/echo", "/v1/echo/pay_1", "/v1/echo?merchant_id={id}"])
def test_it_refuses_everyone_without_a_key(merchant, path):
    assert_refused(ApiClient().get(path.format(id=merchant.id)), NO_KEY)
    assert_refused(ApiClient().get(path.format(id=merchant.id), {}, x_api_key="sk"), NO_KEY)


# Merchants that may not


@pytest.mark.parametrize("live", [False, True])
def test_it_refuses_a_suspended_merchant(merchant, live):
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    response = ApiClient(issue(merchant, live=live).secret).get("/v1/echo")

    assert response.status_code == 422
    assert response.json()["code"] == "MERCHANT_INACTIVE"


def test_it_refuses_a_suspended_merchant_named_in_development(merchant, development):
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    response = ApiClient().get("/v1/echo", {"merchant_id": merchant.id})

    assert response.json()["code"] == "MERCHANT_INACTIVE"


def test_it_takes_an_unverified_merchant_named_in_development(merchant, settings, development):
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)

    response = ApiClient().get("/v1/echo", {"merchant_id": merchant.id})

    assert (response.status_code, response.json()) == (200, caller(merchant, "development"))


@pytest.mark.parametrize(
    ("required", "live", "status", "code"),
    [
        (True, True, MerchantStatus.UNVERIFIED, "MERCHANT_NOT_VERIFIED"),
        (True, True, MerchantStatus.VERIFIED, None),
        (True, False, MerchantStatus.UNVERIFIED, None),
        (False, True, MerchantStatus.UNVERIFIED, None),
        (True, True, MerchantStatus.SUSPENDED, "MERCHANT_INACTIVE"),
    ],
)
def test_it_wants_live_merchants_verified(merchant, settings, required, live, status, code):
    settings.REQUIRE_VERIFIED_MERCHANTS = required
    Merchant.objects.update(status=status)

    response = ApiClient(issue(merchant, live=live).secret).get("/v1/echo")

    assert response.status_code == (422 if code else 200)
    assert response.json().get("code") == code


# A body that contradicts the key


@pytest.mark.parametrize("value", ["stranger", "mer_unknown", "", 5, []])
def test_it_refuses_another_merchant_than_the_keys(merchant, stranger, value):
    value = stranger.id if value == "stranger" else value
    client = ApiClient(issue(merchant).secret)

    response = client.post("/v1/echo", {"merchant_id": value})

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert response.json()["details"] == OTHER_MERCHANT


def test_it_refuses_another_merchant_in_the_query(merchant, stranger):
    response = ApiClient(issue(merchant).secret).get("/v1/echo", {"merchant_id": stranger.id})

    assert response.status_code == 422
    assert response.json()["details"] == OTHER_MERCHANT


@pytest.mark.parametrize("slug", ["stranger", "nobody-at-all"])
def test_it_does_not_know_another_merchant_by_slug(merchant, stranger, slug):
    named = {"merchant_slug": stranger.slug if slug == "stranger" else slug}
    client = ApiClient(issue(merchant).secret)

    for response in (client.get("/v1/echo", named), client.post("/v1/echo", named)):
        assert response.status_code == 404
        assert response.json()["code"] == "MERCHANT_NOT_FOUND"


def test_each_that_names_a_merchant_must_be_the_keys(merchant, stranger):
    named = {"merchant_id": merchant.id, "merchant_slug": stranger.slug}
    client = ApiClient(issue(merchant).secret)

    for response in (client.get("/v1/echo", named), client.post("/v1/echo", named)):
        assert response.status_code == 404


def test_it_says_what_a_slug_must_be(merchant):
    response = ApiClient(issue(merchant).secret).post("/v1/echo", {"merchant_slug": 5})

    assert response.status_code == 422
    assert response.json()["details"] == "merchant_slug: must be a string"


@pytest.mark.parametrize("field", ["merchant_id", "merchant_slug"])
def test_it_takes_the_keys_own_merchant_in_the_body(merchant, field):
    own = {"merchant_id": merchant.id, "merchant_slug": merchant.slug}
    client = ApiClient(issue(merchant).secret)

    assert client.post("/v1/echo", {field: own[field]}).status_code == 201
    assert client.post("/v1/echo", {"merchant_id": None}).status_code == 201
    assert client.post("/v1/echo", ["merchant_id"]).status_code == 201


# Idempotency-Keys belong to the caller


def test_it_answers_a_repeat_with_the_same_bytes_and_stores_no_secret(merchant):
    client = ApiClient(issue(merchant).secret)

    first = client.post("/v1/echo", {}, idempotency_key="one")
    again = client.post("/v1/echo", {}, idempotency_key="one")

    assert again.content == first.content
    assert again["Idempotent-Replayed"] == "true"
    assert again["Location"] == first["Location"] == "/v1/echo/1"
    assert first.json()["secret"] not in _dump("core_idempotencykey")


def test_it_keeps_merchants_and_modes_apart(merchant, stranger):
    clients = [
        ApiClient(issue(owner, live=live).secret)
        for owner in (merchant, stranger)
        for live in (False, True)
    ]

    answers = [client.post("/v1/echo", {}, idempotency_key="one") for client in clients]

    assert [answer.status_code for answer in answers] == [201] * 4
    assert len({answer.json()["secret"] for answer in answers}) == 4


def _dump(table):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return str([[bytes(c) if isinstance(c, memoryview) else c for c in r] for r in cursor])
