"""POST /v1/merchants"""

import re

import pytest

from merchants import keys
from merchants.models import ApiKey, Merchant

PATH = "/v1/merchants"
LEAST = {"name": "Conch Shack", "email": "owner@conch.example"}
ALL = LEAST | {
    "slug": "conch-shack-2",
    "category": "restaurant",
    "phone": "+1 (242) 555-0199",
    "description": "Fried fish.\nCash and cards.",
    "website": "https://conch.example",
    "logo_url": "https://conch.example/logo.png",
    "support_email": "help@conch.example",
    "address": "1 Bay Street\nNassau",
    "business_type": "sole proprietor",
    "tax_id": "TIN-1",
    "brand_color": "#00778B",
    "time_zone": "America/Port-au-Prince",
    "payout_schedule": "daily",
}
FIRST_FIELDS = ["id", "name", "slug", "category", "email", "created_at"]


def assert_nothing_stored():
    assert Merchant.objects.count() == 0
    assert ApiKey.objects.count() == 0


def test_it_registers_with_the_least_and_fills_in_the_rest(api):
    response = api(None).post(PATH, LEAST)

    merchant = Merchant.objects.get()
    body = response.json()
    assert response.status_code == 201
    assert response["Location"] == f"/v1/merchants/{merchant.id}"
    assert list(body)[:6] == FIRST_FIELDS
    assert re.fullmatch(r"mer_[0-9A-Za-z]{30}", body["id"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", body["created_at"])
    assert set(body["api_keys"]) == {"test", "live"}
    assert {name: body[name] for name in body if name not in ("id", "api_keys")} == LEAST | {
        "slug": "conch-shack",
        "category": "other",
        "category_code": "7299",
        "created_at": body["created_at"],
        "updated_at": body["created_at"],
        "time_zone": "America/Nassau",
        "payout_schedule": "weekly",
        "status": "unverified",
        "fee_basis_points": 0,
    }


def test_it_keeps_everything_that_is_given(api):
    body = api(None).post(PATH, ALL).json()

    assert {name: body[name] for name in ALL} == ALL
    assert body["category_code"] == "5812"
    merchant = Merchant.objects.get()
    assert {name: getattr(merchant, name) for name in ALL} == ALL


def test_an_address_comes_as_an_object_too(api):
    address = {"line1": "Bay Street 1", "line2": None, "city": "Nassau", "country": ""}
    body = {"name": "Shop", "email": "shop@example.com", "address": address}

    made = api().post("/v1/merchants", body)

    assert (made.status_code, made.json()["address"]) == (201, "Bay Street 1\nNassau")
    for wrong in ({"line1": 1}, {"line1": ["x"]}, {}, {"line1": "x" * 501}, ["Bay Street 1"]):
        assert api().post("/v1/merchants", {**body, "address": wrong}).status_code == 422


def test_it_issues_a_working_key_per_mode_and_stores_neither(api):
    body = api(None).post(PATH, LEAST).json()

    for mode, secret in body.pop("api_keys").items():
        key = ApiKey.objects.get(livemode=mode == "live")
        assert re.fullmatch(rf"sk_{mode}_[0-9A-Za-z]{{49}}", secret)
        assert (key.prefix, key.last_four) == (f"sk_{mode}_", secret[-4:])
        assert key.hash == keys.digest(secret)
        read = api(None).get(f"{PATH}/{body['id']}", authorization=f"Bearer {secret}")
        assert read.status_code == 200
        assert read.json() == body


def test_it_leaves_the_keys_in_no_log_and_no_cache(api, db, caplog, capsys):
    caplog.set_level("DEBUG")
    response = api(None).post(PATH, LEAST)
    keys_shown = response.json()["api_keys"].values()
    for secret in keys_shown:
        api(None).get(response["Location"], authorization=f"Bearer {secret}")
        api(None).get(response["Location"], authorization=f"Bearer {secret}x")

    written = caplog.text + "".join(capsys.readouterr())
    assert response["Cache-Control"] == "no-store"
    assert response["Location"] in written
    assert not any(secret in written for secret in keys_shown)


def test_it_looks_at_no_key(api, merchant):
    assert api(merchant).post(PATH, LEAST).status_code == 201
    assert api(None).post(PATH, LEAST, authorization="Bearer nonsense").status_code == 201


def test_it_asks_few_things_of_the_database(api, db, django_assert_max_num_queries):
    with django_assert_max_num_queries(
        11
    ):  # four rows, counts (three), one savepoint, begin, commit
        api(None).post(PATH, LEAST)


def test_it_takes_a_null_for_an_absent_field(api, db):
    assert api(None).post(PATH, LEAST | {"phone": None, "slug": None}).status_code == 201


def test_it_ignores_what_a_merchant_cannot_choose(api, db):
    chosen = {
        "id": "mer_mine",
        "status": "verified",
        "fee_basis_points": 9,
        "created_at": "2020-01-01T00:00:00Z",
        "updated_at": "2020-01-01T00:00:00Z",
        "livemode": True,
        "api_keys": {"live": "sk_live_x"},
        "merchant_id": "mer_other",
        "balance": 1_000_000,
        "now": "2020-01-01T00:00:00Z",
    }

    response = api(None).post(PATH, LEAST | chosen)

    assert response.status_code == 201
    merchant = Merchant.objects.get()
    assert merchant.id != "mer_mine"
    assert (merchant.status, merchant.fee_basis_points) == ("unverified", 0)
    assert merchant.created_at.year > 2020


# What is refused

NAME = "must be a string of 1 to 255 characters"
TEXT = "must not contain control or tag characters, or more than 8 combining marks in a row"
SLUG = "must be lowercase letters, digits and hyphens, beginning and ending without a hyphen"
VISIBLE = "must contain a letter or a digit, and no character that cannot be seen"
URL = (
    "must be an absolute address such as https://shop.example/page, of at most 2048 characters,"
    " without credentials"
)
HTTPS = "must be an https address"
PHONE = "must be a telephone number of digits, spaces, brackets, dots and hyphens"
COLOR = "must be a colour such as #00778b"
ZONE = "must be a time zone of the IANA database such as America/Nassau"


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("name", "", NAME),
        ("name", 5, NAME),
        ("name", "x" * 256, NAME),
        ("name", " \u3000", "must not be blank"),
        ("name", "\u00ad", VISIBLE),
        ("name", "\u3164", VISIBLE),
        ("name", "\u200d", VISIBLE),
        ("name", "Conch\u200b Shack", VISIBLE),
        ("name", "Conch\ufff9 Shack", VISIBLE),
        ("name", "Conch\U0001d173 Shack", VISIBLE),
        ("name", "Conch Shack\U000e0041", TEXT),
        ("name", "🍍", VISIBLE),
        ("name", "a\u202eb", TEXT),
        ("name", "a\nb", TEXT),
        ("name", "Conch Shack" + "\u030d" * 9, TEXT),
        ("slug", "", "must be a string of 1 to 64 characters"),
        ("slug", "x" * 65, "must be a string of 1 to 64 characters"),
        ("slug", "Shop", SLUG),
        ("slug", "my shop", SLUG),
        ("slug", "my_shop", SLUG),
        ("slug", "-shop", SLUG),
        ("slug", "shop-", SLUG),
        ("slug", "shop/..", SLUG),
        ("slug", "shöp", SLUG),
        ("slug", "shop\n", TEXT),
        ("email", "nobody", "must be an e-mail address"),
        ("email", "a@b@c.example", "must be an e-mail address"),
        ("email", "=?utf-8?q?ann?=@example.com", "must be an e-mail address"),
        ("email", "root@localhost", "must be an e-mail address"),
        ("email", "a@[10.0.0.1]", "must be an e-mail address"),
        ("email", "a@example.com\nBcc: b@example.com", TEXT),
        ("category", "x" * 65, "must be a string of 1 to 64 characters"),
        ("category", " ", "must not be blank"),
        ("phone", "call me", PHONE),
        ("phone", "+1 242 555 0199 x12", PHONE),
        ("website", "http://conch.example", HTTPS),
        ("website", "javascript:alert(1)", URL),
        ("website", "https://a@conch.example", URL),
        ("logo_url", "http://conch.example/logo.png", HTTPS),
        ("logo_url", "//conch.example/logo.png", URL),
        ("support_email", "help", "must be an e-mail address"),
        ("description", "x" * 501, "must be a string of 1 to 500 characters"),
        ("address", {}, "must be a string of 1 to 500 characters"),
        ("business_type", True, "must be a string of 1 to 64 characters"),
        ("tax_id", 12, "must be a string of 1 to 64 characters"),
        ("brand_color", "red", COLOR),
        ("brand_color", "#12345g", COLOR),
        ("time_zone", "Nassau", ZONE),
        ("time_zone", "../../etc/passwd", ZONE),
        ("time_zone", "localtime", ZONE),
        ("time_zone", "Factory", ZONE),
        ("time_zone", 5, ZONE),
        ("payout_schedule", "hourly", "must be one of daily, weekly, monthly, manual"),
    ],
)
def test_it_refuses_a_value_and_says_what_it_must_be(api, db, field, value, rule):
    response = api(None).post(PATH, LEAST | {field: value})

    assert response.status_code == 422
    assert response.json() == {
        "error": "A field has a value that is not allowed.",
        "code": "VALIDATION_FAILED",
        "details": f"{field}: {rule}",
    }
    assert_nothing_stored()


def test_it_names_every_field_that_is_missing(api, db):
    response = api(None).post(PATH, {})

    assert response.status_code == 422
    assert response.json()["details"] == "name: is required; email: is required"


@pytest.mark.parametrize("body", [b"[]", b"{", b'"a"', b'{"name": "a", "name": "b"}', b"\xff"])
def test_it_refuses_what_is_no_object(api, db, body):
    response = api(None).post(PATH, body)

    assert response.status_code == 400
    assert response.json()["code"] == "INVALID_REQUEST"
    assert_nothing_stored()


def test_it_takes_http_addresses_in_development_only(api, db, development):
    response = api(None).post(PATH, LEAST | {"website": "http://localhost:3000"})

    assert response.status_code == 201


@pytest.mark.parametrize("method", ["get", "patch", "delete"])
def test_it_takes_no_other_method(api, db, method):
    response = getattr(api(None), method)(PATH)

    assert response.status_code == 405
    assert response.json()["code"] == "METHOD_NOT_ALLOWED"
