"""PATCH /v1/merchants/:id"""

import pytest

from merchants.models import Merchant
from tests.events import event_data, event_types

CHANGES = {
    "category": "pearl diving",
    "phone": "242-555-0100",
    "description": "Now with\nrooms.",
    "business_type": "limited company",
    "brand_color": "#123abc",
    "time_zone": "UTC",
}
FIXED = {
    "id": "mer_mine",
    "slug": "palace",
    "status": "verified",
    "fee_basis_points": 0,
    "created_at": "2020-01-01T00:00:00Z",
    "updated_at": "2020-01-01T00:00:00Z",
    "api_keys": {},
    "category_code": "5812",
    "livemode": True,
    "merchant_id": None,
    "pk": "mer_mine",
    "password": "x",
}


@pytest.fixture
def path(merchant):
    return f"/v1/merchants/{merchant.id}"


def row(merchant):
    return Merchant.objects.filter(pk=merchant.pk).values().get()


def assert_unchanged(merchant, before):
    assert row(merchant) == before


def test_it_changes_everything_a_merchant_says_of_itself(api, merchant, path):
    response = api(merchant, live=True).patch(path, CHANGES)

    body = response.json()
    assert response.status_code == 200
    assert {name: body[name] for name in CHANGES} == CHANGES
    assert body["slug"] == merchant.slug
    assert "category_code" not in body
    assert body["updated_at"] > body["created_at"]
    assert {name: row(merchant)[name] for name in CHANGES} == CHANGES
    assert api(merchant, live=True).get(path).json() == body


@pytest.mark.parametrize("live", [False, True])
def test_it_takes_either_key_and_asks_few_things(
    api, merchant, path, live, django_assert_max_num_queries
):
    client = api(merchant, live=live)

    with django_assert_max_num_queries(8):  # key, begin, lock, key, update, event (two), commit
        response = client.patch(path, {"business_type": "A"})

    assert response.json()["business_type"] == "A"


def test_it_leaves_the_rest_alone(api, merchant, path):
    before = row(merchant)

    api(merchant).patch(path, {"business_type": "7"})

    changed = {name for name, value in row(merchant).items() if before[name] != value}
    assert changed == {"business_type", "updated_at"}


def test_a_profile_set_to_what_it_is_was_not_changed(api, merchant, path):
    api(merchant, live=True).patch(path, CHANGES)
    before = row(merchant)

    for changes in ({}, CHANGES):
        assert api(merchant, live=True).patch(path, changes).status_code == 200
        assert_unchanged(merchant, before)


def test_it_takes_values_away_with_a_null(api, merchant, path):
    api(merchant, live=True).patch(path, CHANGES)
    optional = dict.fromkeys(CHANGES)

    body = api(merchant, live=True).patch(path, optional).json()

    assert (body["category"], body["time_zone"]) == ("other", "America/Nassau")
    assert not set(body) & (set(optional) - {"category", "time_zone"})


@pytest.mark.parametrize("name", ["name", "email"])
def test_it_keeps_what_every_merchant_has(api, merchant, path, name):
    before = row(merchant)

    response = api(merchant).patch(path, {name: None})

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert response.json()["details"].startswith(f"{name}: ")
    assert_unchanged(merchant, before)


@pytest.mark.parametrize("field", FIXED)
def test_it_refuses_a_fixed_field_and_changes_nothing(api, merchant, path, field):
    before = row(merchant)

    response = api(merchant).patch(path, CHANGES | {field: FIXED[field]})

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert response.json()["details"].startswith(f"{field}: cannot be changed; only name, ")
    assert_unchanged(merchant, before)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", " "),
        ("name", 5),
        ("email", "nobody"),
        ("category", ""),
        ("website", "http://conch.example"),
        ("brand_color", "blue"),
        ("time_zone", "Mars"),
        ("payout_schedule", "never"),
    ],
)
def test_it_refuses_a_bad_value_and_changes_nothing(api, merchant, path, field, value):
    before = row(merchant)

    response = api(merchant).patch(path, CHANGES | {field: value})

    assert response.status_code == 422
    assert response.json()["details"].startswith(f"{field}: must ")
    assert_unchanged(merchant, before)


@pytest.mark.parametrize("body", [b"[]", b"{", b"null"])
def test_it_refuses_what_is_no_object(api, merchant, path, body):
    assert api(merchant).patch(path, body).status_code == 400


def test_it_takes_a_change_in_development(api, merchant, path, development):
    changed = api(None).patch(path, {"business_type": "A"})
    assert changed.json()["business_type"] == "A"


def test_it_wants_a_key(api, merchant, path):
    before = row(merchant)

    response = api(None).patch(path, CHANGES)

    assert response.status_code == 401
    assert_unchanged(merchant, before)


@pytest.mark.parametrize("body", [CHANGES, {}, {"slug": "mine"}])
def test_it_hides_another_merchant_like_one_that_is_not_there(api, merchant, stranger, path, body):
    before = row(merchant)

    foreign = api(stranger).patch(path, body)
    missing = api(stranger).patch("/v1/merchants/mer_none", body)

    assert foreign.status_code == (422 if "slug" in body else 404)
    assert foreign.content == missing.content
    assert_unchanged(merchant, before)


def test_what_stays_as_it_was_is_no_change(api, merchant, path):
    client = api(merchant, live=True)
    Merchant.objects.update(business_type="A")

    client.patch(path, {"business_type": "A"})
    assert event_types() == []
    client.patch(path, {"business_type": "A", "phone": "242-555-0190"})

    assert event_data("merchant.updated")["changed"] == ["phone"]
