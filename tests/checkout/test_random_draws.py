"""How often a page asks the system for random bytes: each time, other threads get a turn."""

import os
import random

import pytest
from django.test import Client

from payments.models import Payment


def test_a_first_page_draws_its_token_at_once(
    payment: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws: list[int] = []

    def drawn(count: int) -> bytes:
        draws.append(count)
        return os.urandom(count)

    monkeypatch.setattr(random, "_urandom", drawn)
    page = Client().get(payment.hosted_url)

    assert len(page.cookies["csrf"].value) == 32
    assert len(draws) <= 5
