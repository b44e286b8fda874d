"""One log line per request: its id, caller, address, path and status."""

import logging
from collections.abc import Callable
from http import HTTPStatus

import structlog
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject, empty
from django_structlog.middlewares import RequestMiddleware

from core.client_address import client_address

logger = structlog.get_logger(__name__)

_GetResponse = Callable[[HttpRequest], HttpResponse]


def api_request_log(get_response: _GetResponse) -> _GetResponse:
    """Write the line of a request of the API, which has one caller and fails in one place."""

    def middleware(request: HttpRequest) -> HttpResponse:
        structlog.contextvars.bind_contextvars(
            request_id=request.META["HTTP_X_REQUEST_ID"], ip=client_address(request)
        )
        try:
            response = get_response(request)
            failed = response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
            actor = actor_of(request)
            logger.log(
                logging.ERROR if failed else logging.INFO,
                "request_finished",
                code=response.status_code,
                request=f"{request.method} {request.get_full_path()}",
                **({"actor": actor} if actor else {}),
            )
        finally:
            structlog.contextvars.clear_contextvars()
        return response

    return middleware


class RequestLog(RequestMiddleware):
    """Writes the line of a page; what is logged meanwhile carries the request's id too."""

    @classmethod
    def bind_ip(cls, request: HttpRequest) -> None:
        structlog.contextvars.bind_contextvars(ip=client_address(request))

    @staticmethod
    def bind_user_id(request: HttpRequest) -> None:
        if actor := actor_of(request):
            structlog.contextvars.bind_contextvars(actor=actor)


def actor_of(request: HttpRequest) -> str:
    """Return the caller if known; never loads a user only for the log."""
    user = getattr(request, "user", None)
    if isinstance(user, SimpleLazyObject) and user._wrapped is empty:
        return ""
    if name := getattr(user, "username", ""):
        return f"staff:{name}"
    return getattr(user, "actor", "")
