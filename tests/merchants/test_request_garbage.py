"""What a request leaves to the garbage collector, for which the threads of a process wait."""

import gc
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import RequestFactory
from django.test.client import ClientHandler
from rest_framework.request import Request
from rest_framework.views import APIView

from core.responses import Response
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api, ApiClient

NEW = {"amount": 100, "currency": "BSD", "payment_mode": "DYNAMIC_PAY"}


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    gc.freeze()  # of all that is there, nothing is looked at again
    yield
    gc.enable()


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/v1/payments/{payment}", None, 200),
        ("GET", "/v1/payments", None, 200),
        ("GET", "/v1/balance", None, 200),
        ("HEAD", "/v1/payments", None, 200),
        ("POST", "/v1/payments", NEW, 201),
        ("POST", "/v1/payments", NEW | {"amount": -1}, 422),
        ("POST", "/v1/payments/{payment}/confirm", {}, 200),
        ("POST", "/v1/payments/{payment}/cancel", {}, 200),
        ("GET", "/v1/payments/none", None, 404),
        ("DELETE", "/v1/payments", None, 405),
    ],
)
def test_a_request_is_freed_as_soon_as_it_is_answered(
    api: Api,
    merchant: Merchant,
    payment: Payment,
    no_collector: None,
    method: str,
    path: str,
    body: Any,
    status: int,
) -> None:
    assert answered(api(merchant), method, path.format(payment=payment.id), body) == status
    assert kept() == []


def answered(client: ApiClient, method: str, path: str, body: Any) -> int:
    """Answer a request as the web server has it answered, and return the status."""
    content = b"" if body is None else json.dumps(body).encode()
    environ = (
        RequestFactory()
        .generic(
            method,
            path,
            content,
            content_type="application/json",
            headers={"Authorization": f"Bearer {client.secret}"},
        )
        .environ
    )
    status: int = ClientHandler()(environ).status_code
    return status


def kept() -> list[Request | Response | APIView]:
    """Return the requests, views and answers that are in memory; none of them is freed meanwhile.

    Asked of the type: `isinstance` evaluates the lazy objects that other tests have left.
    """
    kinds = Request | Response | APIView
    return [each for each in gc.get_objects() if issubclass(type(each), kinds)]
