"""/metrics says for how long each witness has been without a signed head."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from pytest_django import Settings

from core.clock import utc_now
from ledger.models import Checkpoint, WitnessState

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.real_clock("how old a head is, is the database's to say"),
]
HERE, THERE = "file:///mnt/witness", "https://witness.example.com"


def behind(client: Client) -> dict[str, float]:
    found = re.findall(
        r'^witness_behind_seconds\{witness="(.+)"\} (\S+)$', client.get("/metrics").text, re.M
    )
    return {address: float(seconds) for address, seconds in found}


def test_it_counts_from_the_first_head_that_a_witness_lacks(
    client: Client, settings: Settings
) -> None:
    settings.CHECKPOINT_WITNESSES = [HERE, THERE]
    for size, minutes in ((4, 50), (7, 40), (9, 10)):
        at = utc_now() - timedelta(minutes=minutes)
        Checkpoint.objects.create(size=size, root=b"", note="", created_at=at)
    WitnessState.objects.create(address=HERE, size=4, confirmed_at=utc_now())
    waits = behind(client)

    assert 2400 <= waits[HERE] < 2460
    assert 3000 <= waits[THERE] < 3060  # which has never had one

    WitnessState.objects.update(size=9)
    assert behind(client)[HERE] == 0


def test_before_the_first_head_none_is_behind(client: Client, settings: Settings) -> None:
    settings.CHECKPOINT_WITNESSES = [HERE]

    assert behind(client)[HERE] == 0
