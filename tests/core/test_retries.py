"""Who was the victim of a deadlock is served all the same."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError

from merchants.models import Merchant
from payments.models import Payment
from payments.services import create_payment
from tests.client import Api

pytestmark = pytest.mark.django_db(transaction=True)


class Broken(Exception):
    def __init__(self, sqlstate: str) -> None:
        self.sqlstate = sqlstate


def breaking_off(times: int, sqlstate: str) -> Callable[..., Payment]:
    """Return a `create_payment` that fails so often, after it has written."""
    create, left = create_payment, [True] * times

    def attempt(**given: Any) -> Payment:
        payment = create(**given)
        if left:
            left.pop()
            raise OperationalError("broken off") from Broken(sqlstate)
        return payment

    return attempt


@pytest.mark.parametrize("sqlstate", ["40P01", "40001"])
def test_a_victim_is_served_all_the_same(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch, sqlstate: str
) -> None:
    monkeypatch.setattr("payments.views.create_payment", breaking_off(2, sqlstate))
    pauses: list[tuple[float, float]] = []
    monkeypatch.setattr("core.retries.time", SimpleNamespace(sleep=pauses.append))
    monkeypatch.setattr("core.retries.random", SimpleNamespace(uniform=lambda *span: span))

    response = api(merchant).post("/v1/payments", {"amount": 1}, idempotency_key="once")

    assert response.status_code == 201
    assert Payment.objects.get().id == response.json()["id"]
    assert pauses == [(0, 0.05)] * 2


@pytest.mark.parametrize(("times", "sqlstate"), [(3, "40P01"), (1, "55P03")])
def test_who_was_it_too_often_or_has_waited_is_to_come_again(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch, times: int, sqlstate: str
) -> None:
    monkeypatch.setattr("payments.views.create_payment", breaking_off(times, sqlstate))

    response = api(merchant).post("/v1/payments", {"amount": 1}, idempotency_key="once")

    assert (response.status_code, response.json()["code"]) == (409, "CONFLICT")
    assert response["Retry-After"] == "1"
    assert Payment.objects.count() == 0
