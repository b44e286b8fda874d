"""One log line per request: its id, caller, address, path and status."""

import structlog
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject, empty
from django_structlog.middlewares import RequestMiddleware

from core.client_address import client_address


class RequestLog(RequestMiddleware):
    """Writes the line; what is logged meanwhile carries the request's id too."""

    @classmethod
    def bind_ip(cls, request: HttpRequest) -> None:
        structlog.contextvars.bind_contextvars(ip=client_address(request))

    @staticmethod
    def bind_user_id(request: HttpRequest) -> None:
        if actor := _actor(request):
            structlog.contextvars.bind_contextvars(actor=actor)


def _actor(request: HttpRequest) -> str:
    """Return the caller if known; never loads a user only for the log."""
    user = getattr(request, "user", None)
    if isinstance(user, SimpleLazyObject) and user._wrapped is empty:
        return ""
    if name := getattr(user, "username", ""):
        return f"staff:{name}"
    return getattr(user, "actor", "")
