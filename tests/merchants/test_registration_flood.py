"""Registering again and again from one network: always limited, without RATE_LIMITS."""

import pytest
from django.test import Client
from pytest_django import Settings

import config.settings
from merchants.models import Merchant

MOST = config.settings.REGISTRATIONS_PER_NETWORK


@pytest.fixture(autouse=True)
def _limited(settings: Settings) -> None:
    settings.REGISTRATIONS_PER_NETWORK = MOST


def register(number: int, address: str) -> int:
    body = {"name": f"Shop {number}", "email": "a@example.com"}
    client = Client(REMOTE_ADDR=address)
    return client.post("/v1/merchants", body, content_type="application/json").status_code


def test_a_network_registers_no_more_than_its_share(db: None) -> None:
    assert MOST == 30
    answers = [register(number, f"203.0.113.{number}") for number in range(MOST + 5)]

    assert answers == [201] * MOST + [429] * 5
    assert Merchant.objects.count() == MOST
    assert register(99, "198.51.100.1") == 201


def test_a_body_is_not_read_for_a_refusal(db: None, settings) -> None:
    settings.REGISTRATIONS_PER_NETWORK = 1
    assert register(1, "203.0.113.1") == 201
    refused = Client(REMOTE_ADDR="203.0.113.2").post(
        "/v1/merchants", data=b"[" * 1_000, content_type="application/json"
    )

    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 3_600


@pytest.mark.usefixtures("development")
def test_zero_is_without_limit(db: None, settings) -> None:
    settings.REGISTRATIONS_PER_NETWORK = 0

    assert [register(number, "127.0.0.1") for number in range(MOST + 5)] == [201] * (MOST + 5)
