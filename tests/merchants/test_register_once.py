"""POST /v1/merchants: Idempotency-Key and limits, before there is an API key."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from core.clock import utc_now
from merchants.models import Merchant
from tests.races import at_once

PATH = "/v1/merchants"
LEAST = {"name": "Conch Shack", "email": "owner@conch.example"}


def test_it_registers_once_per_idempotency_key(api, db):
    first, again = (api(None).post(PATH, LEAST, idempotency_key="k") for _ in range(2))

    assert again.status_code == 201
    assert again.content == first.content
    assert again["Location"] == first["Location"]
    assert again["Idempotent-Replayed"] == "true"
    assert Merchant.objects.count() == 1


def test_it_refuses_another_body_under_the_same_key(api, db):
    api(None).post(PATH, LEAST, idempotency_key="k")

    response = api(None).post(PATH, LEAST | {"name": "Other"}, idempotency_key="k")

    assert response.status_code == 422
    assert response.json()["code"] == "IDEMPOTENCY_KEY_REUSED"
    assert Merchant.objects.count() == 1


def test_it_shows_the_keys_to_no_other_address(api, db):
    first = api(None).post(PATH, LEAST, idempotency_key="k")
    elsewhere = api(None)
    elsewhere.client.defaults["REMOTE_ADDR"] = "203.0.113.9"

    response = elsewhere.post(PATH, LEAST, idempotency_key="k")

    assert response.status_code == 201
    assert "Idempotent-Replayed" not in response
    assert response.json()["api_keys"] != first.json()["api_keys"]


def test_it_shows_the_keys_again_for_an_hour(api, db):
    """Who shares the address, and guesses the key, may ask for another's live key until then."""
    start = utc_now()
    with time_machine.travel(start, tick=False):
        first = api(None).post(PATH, LEAST, idempotency_key="k")
    with time_machine.travel(start + timedelta(hours=1), tick=False):
        assert api(None).post(PATH, LEAST, idempotency_key="k").content == first.content

    with time_machine.travel(start + timedelta(hours=1, seconds=1), tick=False):
        late = api(None).post(PATH, LEAST, idempotency_key="k")

    assert (late.status_code, late.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert "sk_" not in late.content.decode()
    assert Merchant.objects.count() == 1


def test_it_registers_after_a_refusal_under_the_same_key(api, merchant):
    client = api(None)

    refused = client.post(PATH, LEAST | {"slug": merchant.slug}, idempotency_key="k")
    registered = client.post(PATH, LEAST | {"slug": "free"}, idempotency_key="k")

    assert (refused.status_code, registered.status_code) == (422, 201)


def test_it_limits_an_address(api, db, settings):
    settings.REGISTRATIONS_PER_NETWORK = 30
    client = api(None)
    client.client.defaults["REMOTE_ADDR"] = "203.0.113.77"

    answers = [client.post(PATH, LEAST) for _ in range(31)]

    assert [answer.status_code for answer in answers] == [201] * 30 + [429]
    assert answers[-1].json()["code"] == "RATE_LIMITED"
    assert 0 < int(answers[-1]["Retry-After"]) <= 3600
    assert Merchant.objects.count() == 30


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_it_registers_one_merchant_for_many_repeats_at_once(api):
    answers: list[Any] = at_once([lambda: api(None).post(PATH, LEAST, idempotency_key="k")] * 8)

    assert len({answer.content for answer in answers}) == 1
    assert Merchant.objects.count() == 1
