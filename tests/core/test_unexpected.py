"""A failure that no one expected: the caller learns nothing of it, the log everything."""

import logging

import pytest

from merchants.models import Merchant
from tests.client import Api


def test_it_is_logged_with_its_traceback(
    api: Api,
    merchant: Merchant,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("payments.views.create_payment", fail)
    with caplog.at_level(logging.ERROR):
        response = api(merchant).post("/v1/payments", {"amount": 1})

    assert response.status_code == 500
    [record] = [record for record in caplog.records if record.message == "unhandled exception"]
    assert record.levelno == logging.ERROR
    assert record.exc_info
    assert isinstance(record.exc_info[1], ZeroDivisionError)
