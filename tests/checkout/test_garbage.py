"""What a page leaves to the garbage collector, for which each thread of a process has to wait."""

import gc
from collections.abc import Iterator

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.test import RequestFactory
from django.test.client import ClientHandler

from payments.models import Payment


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    gc.freeze()  # of all that is there, nothing is looked at again
    yield
    gc.enable()


@pytest.mark.parametrize("page", ["", "/cancel", "/phone", "/status", "/qr.png"])
def test_a_request_is_freed_as_soon_as_it_is_answered(
    payment: Payment, page: str, no_collector: None
) -> None:
    assert answered(f"{payment.hosted_url}{page}") == 200
    assert requests() == []


def answered(path: str) -> int:
    """Answer a request as the web server has it answered, and return the status."""
    environ = RequestFactory().get(path).environ
    status: int = ClientHandler()(environ).status_code
    return status


def requests() -> list[WSGIRequest]:
    """Return the requests that are still in memory, where none of them is freed meanwhile."""
    return [each for each in gc.get_objects() if type(each) is WSGIRequest]
