"""POST /v1/merchants: the slug, given or derived."""

import re
from typing import Any

import pytest

from merchants.models import ApiKey, Merchant
from tests.races import at_once

PATH = "/v1/merchants"
LEAST = {"name": "Conch Shack", "email": "owner@conch.example"}


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Café Ümit & Söhne", "cafe-umit-sohne"),
        ("  --Bay_Street  Books!! ", "bay-street-books"),
        ("x" * 255, "x" * 57),
    ],
)
def test_it_derives_the_slug_from_the_name(api, db, name, slug):
    assert api(None).post(PATH, LEAST | {"name": name}).json()["slug"] == slug


@pytest.mark.parametrize("name", ["商店", "кафе", "½"])
def test_it_finds_a_slug_where_the_name_gives_none(api, db, name):
    slug = api(None).post(PATH, LEAST | {"name": name}).json()["slug"]

    assert re.fullmatch(r"(merchant|12)(-[0-9a-z]{6})?", slug)


def test_it_gives_a_second_merchant_of_that_name_a_slug_of_its_own(api, db):
    first, second = (api(None).post(PATH, LEAST).json()["slug"] for _ in range(2))

    assert first == "conch-shack"
    assert re.fullmatch("conch-shack-[0-9a-z]{6}", second)


def test_it_refuses_a_slug_that_is_taken(api, merchant):
    response = api(None).post(PATH, LEAST | {"slug": merchant.slug})

    assert response.status_code == 422
    assert response.json() == {
        "error": "Another merchant has this slug.",
        "code": "SLUG_TAKEN",
        "details": "slug: must be one that no other merchant has",
    }
    assert list(Merchant.objects.all()) == [merchant]
    assert ApiKey.objects.count() == 0


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_it_gives_a_slug_to_one_of_many_who_ask_at_once(api):
    answers: list[Any] = at_once([lambda: api(None).post(PATH, LEAST | {"slug": "a"})] * 8)

    assert sorted(answer.status_code for answer in answers) == [201] + [422] * 7
    assert {answer.json().get("code") for answer in answers} == {None, "SLUG_TAKEN"}
    assert Merchant.objects.count() == 1
    assert ApiKey.objects.count() == 2


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_it_derives_different_slugs_for_many_at_once(api):
    answers: list[Any] = at_once([lambda: api(None).post(PATH, LEAST)] * 8)

    assert len({answer.json()["slug"] for answer in answers}) == 8
