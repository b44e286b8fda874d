"""A merchant makes, rolls and revokes its own keys, and chooses what each may do."""

from datetime import timedelta

import pytest
from django.db import connection

from core.clock import utc_now
from merchants.access import EVERYTHING
from merchants.models import ApiKey
from merchants.own_keys import MOST_ACTIVE
from merchants.services import issue_key
from messages.models import Message
from tests.client import ApiClient
from tests.factories import MerchantFactory

NEW = "/v1/api-keys"


def keys_of(merchant, *, livemode=False):
    return list(ApiKey.objects.filter(merchant=merchant, livemode=livemode).order_by("id"))


def test_it_makes_a_test_key_and_shows_it_once(api, merchant):
    response = api(merchant).post(NEW, {"name": "Till"})

    made = response.json()
    key = ApiKey.objects.get(pk=made["id"])
    assert response.status_code == 201
    assert response["Location"] == f"/v1/api-keys/{key.id}"
    assert made["secret"].startswith("sk_test_")
    assert (made["name"], made["scopes"], made["livemode"]) == ("Till", [EVERYTHING], False)
    read = api(merchant).get(f"/v1/api-keys/{key.id}").json()
    assert read == {name: value for name, value in made.items() if name != "secret"}
    assert ApiClient(made["secret"]).get("/v1/payments").status_code == 200
    assert not Message.objects.exists()


def test_it_makes_one_key_for_one_idempotency_key(api, merchant):
    client = api(merchant)
    first, again = (client.post(NEW, {"name": "Till"}, idempotency_key="a") for _ in range(2))

    assert first.content == again.content
    assert again["Idempotent-Replayed"] == "true"
    assert len(keys_of(merchant)) == 2


def test_the_stored_answer_to_a_request_shows_no_secret(api, merchant):
    client, secrets = api(merchant), []
    (own,) = keys_of(merchant)
    for path in (NEW, f"{NEW}/{own.id}/roll"):
        body = {"name": "Till"} if path == NEW else None
        secrets.append(client.post(path, body, idempotency_key=path).json()["secret"])
    client.get("/v1/payments")
    with connection.cursor() as cursor:
        cursor.execute("SELECT scope, body FROM core_idempotencykey")
        stored = [(scope, bytes(body).decode(errors="replace")) for scope, body in cursor]

    assert [scope for scope, _ in stored] == [f"{merchant.id} test"] * 2
    assert not [body for _, body in stored if any(secret in body for secret in secrets)]


def test_a_key_of_scopes_does_what_they_say(api, merchant):
    scopes = ["payments:write", "refunds:read"]
    made = api(merchant).post(NEW, {"name": "Till", "scopes": scopes}).json()
    till = ApiClient(made["secret"])

    assert made["scopes"] == scopes
    assert till.post("/v1/payments", {"amount": 100}).status_code == 201
    assert till.get("/v1/payments").status_code == 200
    assert till.get("/v1/refunds").status_code == 200
    refused = till.get("/v1/payouts")
    assert refused.status_code == 403
    assert refused.json() == {
        "error": "This API key may not do that.",
        "code": "INSUFFICIENT_SCOPE",
        "details": "needs the scope payouts:read",
    }


@pytest.mark.parametrize("scopes", [["*:read"], ["api_keys:read", "payments:write"]])
def test_a_key_of_scopes_makes_rolls_and_revokes_none(api, merchant, scopes):
    made = api(merchant).post(NEW, {"name": "Till", "scopes": scopes}).json()
    limited, place = ApiClient(made["secret"]), f"{NEW}/{made['id']}"
    before = list(ApiKey.objects.order_by("id").values())

    answers = [limited.post(at, {"name": "x"}) for at in (NEW, f"{place}/roll", f"{place}/revoke")]

    assert {answer.status_code for answer in answers} == {403}
    assert list(ApiKey.objects.order_by("id").values()) == before
    assert limited.get(NEW).status_code == 200


def test_a_live_key_makes_live_keys_of_scopes_and_the_owner_is_told(api, merchant):
    body = {"name": "Bookkeeping", "scopes": ["*:read"]}
    made = api(merchant, live=True).post(NEW, body).json()

    assert made["secret"].startswith("sk_live_")
    assert ApiClient(made["secret"]).get("/v1/payments").status_code == 200
    message = Message.objects.get()
    assert (message.recipient, message.kind) == (merchant.email, "api_key")
    assert made["hint"] in message.text
    assert made["secret"] not in message.text


def test_a_live_key_that_may_do_everything_is_not_made_here(api, merchant):
    response = api(merchant, live=True).post(NEW, {"name": "Second"})

    assert response.status_code == 422
    assert "scopes" in response.json()["details"]
    assert len(keys_of(merchant, livemode=True)) == 1


def test_a_test_key_makes_no_live_key(api, merchant):
    body = {"name": "Thief", "livemode": True, "scopes": ["*:read"]}
    response = api(merchant).post(NEW, body)

    assert response.status_code == 422
    assert response.json()["details"].startswith("livemode: ")
    assert keys_of(merchant, livemode=True) == []


def test_a_live_key_makes_a_test_key(api, merchant):
    made = api(merchant, live=True).post(NEW, {"name": "Tests", "livemode": False}).json()

    assert made["secret"].startswith("sk_test_")
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "a", "scopes": []}, "scopes"),
        ({"name": "a", "scopes": ["*"]}, "scopes"),
        ({"name": "a", "scopes": ["api_keys:write"]}, "scopes"),
        ({"name": "a", "scopes": "*:read"}, "scopes"),
        ({"name": "a", "livemode": "no"}, "livemode"),
        ({"name": "a", "scopes": None}, "scopes: must not be null"),
        ({"name": "a", "livemode": None}, "livemode: must not be null"),  # made a live one
        ({"name": "a", "scope": ["payments:read"]}, "scope: is unknown"),  # it got them all
        ({"name": "a", "expires_in": 3_600}, "expires_in: is unknown"),  # it never ended
    ],
)
def test_it_refuses(api, merchant, body, field):
    response = api(merchant).post(NEW, body)

    assert response.status_code == 422
    assert response.json()["details"].startswith(field)
    assert len(keys_of(merchant)) == 1


@pytest.mark.parametrize("body", [{"expire_in": 0}, {"expires_in": None}])
def test_a_roll_that_was_to_end_a_key_does_not_leave_it_for_a_day(api, merchant, body):
    client = api(merchant)
    (own,) = keys_of(merchant)

    assert client.post(f"{NEW}/{own.id}/roll", body).status_code == 422
    (same,) = keys_of(merchant)
    assert same.expires_at is None


def test_a_roll_may_name_its_merchant(api, merchant):
    client = api(merchant)
    (own,) = keys_of(merchant)
    named = {"merchant_id": merchant.id, "merchant_slug": merchant.slug}

    assert client.post(f"{NEW}/{own.id}/roll", named).status_code == 201


def test_there_is_an_end_to_how_many(api, merchant):
    client = api(merchant)
    for owner, livemode in ((merchant, True), (MerchantFactory(), False)):
        issue_key(merchant=owner, livemode=livemode, name="No matter", now=utc_now())
    for _ in range(MOST_ACTIVE - 2):
        issue_key(merchant=merchant, livemode=False, name="Many", now=utc_now())
    last = keys_of(merchant)[-1]

    assert client.post(NEW, {"name": "The last"}).status_code == 201
    assert client.post(NEW, {"name": "Too many"}).status_code == 422
    assert client.post(f"{NEW}/{last.id}/roll").status_code == 422
    assert client.post(f"{NEW}/{last.id}/roll", {"expires_in": 0}).status_code == 201


def test_it_rolls_a_key_with_its_scopes(api, merchant):
    made = api(merchant).post(NEW, {"name": "Till", "scopes": ["payments:read"]}).json()
    response = api(merchant).post(f"{NEW}/{made['id']}/roll", {"expires_in": 60})

    rolled, before = response.json(), ApiKey.objects.get(pk=made["id"])
    assert response.status_code == 201
    assert (rolled["name"], rolled["scopes"]) == ("Till", ["payments:read"])
    assert rolled["secret"] != made["secret"]
    since = ApiKey.objects.get(pk=rolled["id"]).created_at
    assert before.expires_at == since + timedelta(seconds=60)


@pytest.mark.parametrize("livemode", [False, True])
def test_a_key_that_has_been_rolled_is_not_rolled_again(api, merchant, *, livemode):
    client = api(merchant, live=livemode)
    (own,) = keys_of(merchant, livemode=livemode)
    first = client.post(f"{NEW}/{own.id}/roll", {"expires_in": 60})
    again = [client.post(f"{NEW}/{own.id}/roll", {"expires_in": left}) for left in (60, 0)]

    assert first.status_code == 201
    end = client.get(f"{NEW}/{own.id}").json()["expires_at"]
    for refused in again:
        assert (refused.status_code, refused.json()["code"]) == (422, "VALIDATION_FAILED")
        assert refused.json()["details"].startswith(f"expires_at: is {end}, by a roll")
    assert len(keys_of(merchant, livemode=livemode)) == 2
    assert client.post(f"{NEW}/{own.id}/revoke").status_code == 200


@pytest.mark.parametrize("field", ["expires_at", "revoked_at"])
def test_a_refusal_says_since_when_a_key_is_ended(api, merchant, field):
    made = api(merchant).post(NEW, {"name": "Till"}).json()
    ApiKey.objects.filter(pk=made["id"]).update(**{field: utc_now()})
    at = api(merchant).get(f"{NEW}/{made['id']}").json()[field]

    for act in ("roll", "revoke"):
        refused = api(merchant).post(f"{NEW}/{made['id']}/{act}")
        assert refused.status_code == 422
        assert refused.json()["details"] == f"{field}: is {at}"


def test_a_live_key_rolls_itself_and_the_owner_is_told(api, merchant):
    client = api(merchant, live=True)
    (own,) = keys_of(merchant, livemode=True)
    rolled = client.post(f"{NEW}/{own.id}/roll", {"expires_in": 0}).json()

    assert rolled["scopes"] == [EVERYTHING]
    assert client.get("/v1/payments").status_code == 401
    assert ApiClient(rolled["secret"]).get("/v1/payments").status_code == 200
    assert own.hint in Message.objects.get().text


def test_it_revokes_a_key_at_once(api, merchant):
    made = api(merchant).post(NEW, {"name": "Till"}).json()
    response = api(merchant).post(f"{NEW}/{made['id']}/revoke")

    assert response.status_code == 200
    assert "revoked_at" in response.json()
    assert ApiClient(made["secret"]).get("/v1/payments").status_code == 401
    assert api(merchant).post(f"{NEW}/{made['id']}/revoke").status_code == 422


def test_the_list_has_the_keys_of_the_mode_newest_first(api, merchant):
    api(merchant, live=True).get("/v1/payments")
    made = api(merchant).post(NEW, {"name": "Till"}).json()

    listed = api(merchant).get(NEW).json()
    assert listed["total"] == 2
    assert listed["api_keys"][0]["id"] == made["id"]
    assert {each["livemode"] for each in listed["api_keys"]} == {False}
    assert "secret" not in str(listed)


@pytest.mark.parametrize("livemode", [False, True])
def test_another_merchants_key_and_one_of_the_other_mode_are_not_there(api, merchant, livemode):
    key = issue_key(merchant=merchant, livemode=livemode, name="Own", now=utc_now()).key
    strangers = [api(MerchantFactory(), live=livemode), api(merchant, live=not livemode)]

    for stranger in strangers:
        for at in ("roll", "revoke"):
            assert stranger.post(f"{NEW}/{key.id}/{at}").status_code == 404
    key.refresh_from_db()
    assert (key.expires_at, key.revoked_at) == (None, None)


@pytest.mark.parametrize("livemode", [False, True])
def test_a_rolled_key_makes_none_that_outlives_it_and_ends_no_other(api, merchant, *, livemode):
    """Rolled as it had leaked, with a day's overlap, it left its thief a key of their own."""
    leaked = api(merchant, live=livemode)
    (own,) = keys_of(merchant, livemode=livemode)
    new = leaked.post(f"{NEW}/{own.id}/roll", {"expires_in": 86_400}).json()

    for path in (NEW, f"{NEW}/{new['id']}/roll", f"{NEW}/{new['id']}/revoke"):
        body = {"name": "Mine", "scopes": ["refunds:write"]} if path == NEW else None
        refused = leaked.post(path, body)
        assert (refused.status_code, refused.json()["code"]) == (422, "VALIDATION_FAILED")
        assert refused.json()["details"].startswith("api_key: must be the one that took")

    assert len(keys_of(merchant, livemode=livemode)) == 2
    assert leaked.get("/v1/payments").status_code == 200
    assert ApiClient(new["secret"]).get("/v1/payments").status_code == 200
    assert leaked.post(f"{NEW}/{own.id}/revoke").status_code == 200
