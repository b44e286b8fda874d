"""What the web server is handed for a response, whichever kind it is."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import request_finished
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from config.web_handler import WebHandler


@pytest.fixture(autouse=True)
def _no_database() -> Iterator[None]:
    """A response that ends gives back the connection, which there is none of here."""
    request_finished.disconnect(close_old_connections)
    yield
    request_finished.connect(close_old_connections)


@pytest.fixture
def closed() -> list[str]:
    """What has been closed, in this order."""
    return []


def _handed_over(response: Any, request: HttpRequest | None = None) -> tuple[list[Any], Any]:
    """Return status and headers, and what is iterated, of a request that is answered so."""
    handler: Any = WebHandler.__new__(WebHandler)
    handler._middleware_chain = lambda _: response
    if request is not None:
        handler.request_class = lambda _: request
    said: list[Any] = []
    environ = RequestFactory().get("/").environ
    body: Iterable[bytes] = handler(environ, lambda *head: said.extend(head))
    return said, body


def _noting(response: Any, closed: list[str]) -> Any:
    response._resource_closers.append(lambda: closed.append("response"))
    return response


def test_each_cookie_is_a_header_of_its_own() -> None:
    response = HttpResponse(b"", headers={"X-One": "1"})
    response.set_cookie("session", "a", httponly=True)
    response.set_cookie("csrf", "b")

    (_, headers), _body = _handed_over(response)

    assert [value.strip() for name, value in headers if name == "Set-Cookie"] == [
        "session=a; HttpOnly; Path=/",
        "csrf=b; Path=/",
    ]
    assert ("X-One", "1") in headers


def test_a_whole_response_is_one_piece_and_has_ended(closed: list[str]) -> None:
    response = HttpResponse([b"one", b"two"], status=418, reason="Short and stout")
    (status, _), body = _handed_over(_noting(response, closed))

    assert (status, body, closed) == ("418 Short and stout", [b"onetwo"], ["response"])


def test_a_streamed_response_ends_when_the_server_has_sent_it(closed: list[str]) -> None:
    response = StreamingHttpResponse(iter([b"one", b"two"]))
    _, body = _handed_over(_noting(response, closed))

    assert (list(body), closed) == ([b"one", b"two"], [])
    body.close()
    assert closed == ["response"]


def test_the_files_of_a_request_are_closed_with_its_response() -> None:
    file = SimpleUploadedFile("statement.xml", b"<Document/>")
    request = RequestFactory().post("/", {"file": file})
    held: Any = request.FILES["file"]
    assert not held.closed

    _handed_over(HttpResponse(b""), request)

    assert held.closed
