"""Middleware of every request: its id, and the refusal of what no handler should see."""

import re
from collections.abc import Callable

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError

from core.errors import ApiError, InvalidRequest, UnsupportedMediaType
from core.handler import API_PREFIX, api_error, json_error
from core.ids import random_base62
from core.text import is_storable

_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_GetResponse = Callable[[HttpRequest], HttpResponse]


def request_id(get_response: _GetResponse) -> _GetResponse:
    """Give each request an id (the caller's, where it is a plain one) and answer with it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        given = request.META.get("HTTP_X_REQUEST_ID", "")  # `headers` would keep the old value
        name = given if _REQUEST_ID.fullmatch(given) else f"req_{random_base62(22)}"
        request.META["HTTP_X_REQUEST_ID"] = name
        response = get_response(request)
        response["X-Request-Id"] = name
        return response

    return middleware


class ApiErrors:
    """Answer in JSON whatever goes wrong under `/v1` before or around a view."""

    def __init__(self, get_response: _GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(API_PREFIX):
            return self.get_response(request)
        if not is_storable_address(request):
            return json_error(InvalidRequest("The address contains a character not allowed."))
        if refusal := _refusal_of_body(request):
            return json_error(refusal)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if request.path.startswith(API_PREFIX):
            return json_error(api_error(exception))
        return None


def _refusal_of_body(request: HttpRequest) -> ApiError | None:
    """Read the body, once for parser and fingerprint, and return what is wrong with it as a whole.

    Django reads a chunked body without a length, and one that was cut off, as empty: a refund of
    one cent would become a refund of everything.
    """
    if "HTTP_TRANSFER_ENCODING" in request.META:
        return InvalidRequest("Content-Length: must be sent; Transfer-Encoding must not.")
    if request.META.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        return UnsupportedMediaType("Content-Encoding: must not be sent.")
    try:
        missing = int(request.META.get("CONTENT_LENGTH") or 0) - len(request.body)
    except (RequestDataTooBig, UnreadablePostError) as error:
        return api_error(error)
    return InvalidRequest("The body is shorter than its Content-Length.") if missing else None


def is_storable_address(request: HttpRequest) -> bool:
    """Return whether everything in the address can be passed to the databases."""
    if not is_storable(request.path):
        return False
    return all(
        is_storable(name) and all(map(is_storable, values)) for name, values in request.GET.lists()
    )
