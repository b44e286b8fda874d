"""How long a payment can still be paid, as the page writes it before its clock begins to tick."""

from datetime import timedelta

import pytest
from django.utils import translation

from checkout.formats import time_left
from core.clock import utc_now


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (timedelta(0), ""),
        (timedelta(seconds=1), "1 min left"),
        (timedelta(minutes=22, seconds=1), "23 min left"),
        (timedelta(hours=1), "60 min left"),
        (timedelta(hours=1, seconds=1), "1 h 1 min left"),
        (timedelta(hours=23, minutes=59, seconds=1), "24 h left"),
        (timedelta(hours=24), "24 h left"),
        (timedelta(hours=47, minutes=59), "47 h 59 min left"),
        (timedelta(hours=48), "2 days left"),
    ],
)
def test_no_hour_has_zero_minutes_and_a_minute_that_has_begun_counts(left, words):
    now = utc_now()

    assert time_left(now + left, now) == words


@pytest.mark.parametrize(
    ("language", "words"),
    [("es", "queda 1 min"), ("fr", "encore 1 min"), ("ht", "rete 1 min")],
)
def test_the_last_minute_is_one(language, words):
    now = utc_now()
    with translation.override(language):
        assert time_left(now + timedelta(minutes=1), now) == words
