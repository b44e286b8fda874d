"""Middleware for every request: its id, and the refusal of what no API view should see."""

import re
from collections.abc import Callable

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError

from core.clock import one_instant
from core.errors import ApiError, InvalidRequest, UnsupportedMediaType
from core.handler import api_error
from core.ids import random_base62
from core.text import is_storable

_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_GetResponse = Callable[[HttpRequest], HttpResponse]


def request_id(get_response: _GetResponse) -> _GetResponse:
    """Give each request an id (the caller's, if it is plain) and return it with the answer."""

    def middleware(request: HttpRequest) -> HttpResponse:
        given = request.META.get("HTTP_X_REQUEST_ID", "")  # `headers` would keep the old value
        name = given if _REQUEST_ID.fullmatch(given) else f"req_{random_base62(22)}"
        request.META["HTTP_X_REQUEST_ID"] = name
        response = get_response(request)
        response["X-Request-Id"] = name
        return response

    return middleware


def instant(get_response: _GetResponse) -> _GetResponse:
    """Read the clock once for each request."""

    def middleware(request: HttpRequest) -> HttpResponse:
        with one_instant():
            return get_response(request)

    return middleware


def refusal_of(request: HttpRequest) -> ApiError | None:
    """Return what is wrong with an API request as a whole, before a view sees it."""
    return refusal_of_address(request) or _refusal_of_body(request)


def _refusal_of_body(request: HttpRequest) -> ApiError | None:
    """Read the body, once for parser and fingerprint; return what is wrong with it as a whole.

    Django reads a chunked body without a length, or one that was cut off, as empty: a refund of one
    cent would become a full refund.
    """
    if "HTTP_TRANSFER_ENCODING" in request.META:
        return InvalidRequest("Content-Length: must be sent; Transfer-Encoding must not.")
    if request.META.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        return UnsupportedMediaType("Content-Encoding: must not be sent.")
    if not (length := request.META.get("CONTENT_LENGTH")):
        return None  # nor a body, which would cost calls even so
    try:
        missing = int(length) - len(request.body)
    except (RequestDataTooBig, UnreadablePostError) as error:
        return api_error(error)
    return InvalidRequest("The body is shorter than its Content-Length.") if missing else None


def refusal_of_address(request: HttpRequest) -> ApiError | None:
    """Return the refusal of an address with a part that the databases could not store."""
    # `GET` costs a parser even where there is nothing to parse, as in most requests.
    if is_storable(request.path) and (
        not request.META.get("QUERY_STRING")
        or all(
            is_storable(name) and all(map(is_storable, values))
            for name, values in request.GET.lists()
        )
    ):
        return None
    return InvalidRequest("The address contains a character not allowed.")
