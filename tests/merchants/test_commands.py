"""manage.py create_merchant and roll_key"""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from core.clock import utc_now
from merchants.models import ApiKey, Merchant
from merchants.services import issue_key
from tests.client import ApiClient


def run(*words):
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def works(secret, merchant_id):
    return ApiClient(secret).get(f"/v1/merchants/{merchant_id}").status_code == 200


NEW = ("create_merchant", "--name", "Conch Shack", "--email", "owner@conch.example")


def test_create_merchant_prints_what_the_api_would_answer(db):
    body = json.loads(run(*NEW, "--slug", "conch", "--category", "restaurant", "--json"))

    assert (body["slug"], body["category_code"]) == ("conch", "5812")
    assert body["status"] == "unverified"
    assert works(body["api_keys"]["test"], body["id"])
    assert works(body["api_keys"]["live"], body["id"])


def test_create_merchant_prints_lines_for_people(db):
    text = run(*NEW, "--verified", "--fee-basis-points", "150")

    merchant = Merchant.objects.get()
    assert (merchant.status, merchant.fee_basis_points) == ("verified", 150)
    assert f"{merchant.id}  conch-shack  verified" in text
    for key in ApiKey.objects.all():
        assert f"({key.id})" in text
        assert key.prefix in text


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--slug", "Not A Slug"), "slug: must be lowercase letters"),
        (("--time-zone", "Mars"), "time_zone: must be"),
        (("--fee-basis-points", "10001"), "must be a whole number from 0 to 10000"),
        (("--fee-basis-points", "-1"), "must be a whole number from 0 to 10000"),
        (("--fee-basis-points", "x"), "must be a whole number from 0 to 10000"),
    ],
)
def test_create_merchant_says_what_is_wrong(db, words, reason):
    with pytest.raises(CommandError, match=reason):
        run(*NEW, *words)

    assert Merchant.objects.count() == 0


@pytest.fixture
def issued(merchant):
    return issue_key(merchant=merchant, livemode=False, name="Till", now=utc_now())


def test_roll_key_prints_the_new_key(merchant, issued):
    body = json.loads(run("roll_key", issued.key.id, "--overlap-hours", "2", "--json"))

    old = ApiKey.objects.get(pk=issued.key.pk)
    assert body["replaces"] == old.id
    assert ApiKey.objects.get(pk=body["id"]).created_by == "system:merchants.roll_key"
    assert body["replaced_works_until"].endswith("Z")
    assert old.expires_at is not None
    assert timedelta(hours=1) < old.expires_at - utc_now() <= timedelta(hours=2)
    assert works(body["secret"], merchant.id)
    assert works(issued.secret, merchant.id)


def test_roll_key_finds_a_key_by_its_end(merchant, issued):
    text = run(
        "roll_key",
        issued.secret[-4:],
        "--merchant",
        merchant.slug,
        "--overlap-hours",
        "0",
    )

    assert f"replaces: {issued.key.id}" in text
    assert not works(issued.secret, merchant.id)


def test_roll_key_wants_to_know_which_of_two(merchant, stranger, issued):
    other = issue_key(merchant=stranger, livemode=False, name="Till", now=utc_now())
    ApiKey.objects.update(last_four="abcd")

    with pytest.raises(CommandError, match="name the merchant, or the key's id"):
        run("roll_key", "abcd")
    run("roll_key", "abcd", "--merchant", stranger.id)

    assert ApiKey.objects.get(pk=other.key.pk).expires_at is not None
    assert ApiKey.objects.get(pk=issued.key.pk).expires_at is None


def test_roll_key_says_what_is_wrong(db, issued):
    with pytest.raises(CommandError, match="no active key"):
        run("roll_key", "key_none")
    with pytest.raises(CommandError, match="must be 0 to 90 days"):
        run("roll_key", issued.key.id, "--overlap-hours", "-1")

    assert ApiKey.objects.count() == 1
