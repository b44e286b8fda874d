"""GET /v1/merchants/:id"""

import pytest

from merchants.statuses import MerchantStatus

MISSING = {"error": "There is no such merchant.", "code": "MERCHANT_NOT_FOUND", "details": ""}


@pytest.mark.parametrize("live", [False, True])
def test_it_shows_a_merchant_to_itself(api, merchant, live, django_assert_num_queries):
    client = api(merchant, live=live)

    with django_assert_num_queries(2):
        response = client.get(f"/v1/merchants/{merchant.id}")

    body = response.json()
    assert response.status_code == 200
    assert list(body)[:6] == ["id", "name", "slug", "category", "email", "created_at"]
    assert body["id"] == merchant.id
    assert body["email"] == merchant.email
    assert body["status"] == MerchantStatus.VERIFIED
    assert "description" not in body
    assert "api_keys" not in body


def test_it_shows_any_merchant_in_development(api, merchant, development):
    response = api(None).get(f"/v1/merchants/{merchant.id}")

    assert response.status_code == 200
    assert response.json()["id"] == merchant.id


def test_it_shows_only_the_merchant_that_is_named_in_development(
    api, merchant, stranger, development
):
    path = f"/v1/merchants/{merchant.id}"

    assert api(None).get(path, {"merchant_id": merchant.id}).status_code == 200
    assert api(None).get(path, {"merchant_id": stranger.id}).json() == MISSING


def test_it_wants_a_key(api, merchant):
    response = api(None).get(f"/v1/merchants/{merchant.id}")

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response.json()["code"] == "UNAUTHORIZED"


@pytest.mark.parametrize("live", [False, True])
def test_it_hides_another_merchant_like_one_that_is_not_there(api, merchant, stranger, live):
    client = api(stranger, live=live)

    foreign = client.get(f"/v1/merchants/{merchant.id}")
    missing = client.get("/v1/merchants/mer_" + "0" * 30)
    by_slug = client.get(f"/v1/merchants/{merchant.slug.replace('-', '_')}")

    for response in (foreign, missing, by_slug):
        assert response.status_code == 404
        assert response.json() == MISSING
    assert _headers(foreign) == _headers(missing)


def test_what_no_id_looks_like_is_not_there_either(api, merchant):
    response = api(merchant).get("/v1/merchants/a-b")

    assert response.status_code == 404
    assert response.json() == MISSING


@pytest.mark.parametrize("method", ["post", "delete"])
def test_it_takes_no_other_method(api, merchant, method):
    response = getattr(api(merchant), method)(f"/v1/merchants/{merchant.id}")

    assert response.status_code == 405


def _headers(response):
    return {name: value for name, value in response.items() if name != "X-Request-Id"}
