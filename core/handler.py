"""Turns every failure, whether DRF's, Django's or ours, into `{"error", "code", "details"}`."""

import logging
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.core.exceptions import (
    BadRequest,
    DisallowedHost,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
)
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.views import defaults
from django.views.decorators.csrf import csrf_exempt
from prometheus_client import Counter
from rest_framework import exceptions

from core import errors
from core.database_away import LOCKED, is_away, log_failure
from core.json import BODY_SIZE_RULE
from core.responses import Response
from core.retries import DEADLOCK, SERIALIZATION_FAILURE

logger = logging.getLogger(__name__)

API_PREFIX = "/v1/"
SAFE_METHODS = ("GET", "HEAD")
_LOCK_NOT_AVAILABLE = ("55P03", DEADLOCK, SERIALIZATION_FAILURE)
lock_refusals = Counter(
    "database_lock_refusals", "Requests refused because a row or table stayed locked."
)

_unknown_type = partial(errors.UnsupportedMediaType, "Content-Type: must be application/json.")
_unknown_host = partial(
    errors.InvalidRequest, "Host: not a host name of this service (ALLOWED_HOSTS)."
)
_too_many = partial(errors.InvalidRequest, "Too many query parameters.")
_too_large = partial(errors.RequestTooLarge, BODY_SIZE_RULE)

_BY_EXCEPTION: tuple[tuple[type[Exception], Callable[[], errors.ApiError]], ...] = (
    (exceptions.ParseError, errors.InvalidRequest),
    (exceptions.UnsupportedMediaType, _unknown_type),
    (exceptions.MethodNotAllowed, errors.MethodNotAllowed),
    (exceptions.NotFound, errors.NotFound),
    (exceptions.NotAcceptable, errors.InvalidRequest),
    (exceptions.NotAuthenticated, errors.Unauthorized),
    (exceptions.AuthenticationFailed, errors.Unauthorized),
    (exceptions.PermissionDenied, errors.Unauthorized),
    (exceptions.Throttled, errors.RateLimited),
    (Http404, errors.NotFound),
    (PermissionDenied, errors.Unauthorized),
    (RequestDataTooBig, _too_large),
    (DisallowedHost, _unknown_host),
    (TooManyFieldsSent, _too_many),
    (SuspiciousOperation, errors.InvalidRequest),
    (BadRequest, errors.InvalidRequest),  # such as a session that has just ended
    (UnreadablePostError, errors.InvalidRequest),
    (MultiPartParserError, errors.InvalidRequest),
    (DataError, errors.InvalidRequest),
)


def handle_exception(exc: Exception, context: dict[str, Any]) -> Response:
    """Answer an exception that left a view of `/v1`."""
    if isinstance(exc, exceptions.MethodNotAllowed):
        exc = errors.MethodNotAllowed.but(context["view"].allowed_methods)
    return json_error(api_error(exc))


def api_error(exc: Exception) -> errors.ApiError:
    """Return the contract's error for any exception; log the unexpected ones."""
    if isinstance(exc, errors.ApiError):
        return exc
    for kind, error in _BY_EXCEPTION:
        if isinstance(exc, kind):
            return error()
    if isinstance(exc, OperationalError | InterfaceError) or is_away(exc):
        return _database_error(exc)
    logger.error("unhandled exception", exc_info=exc)
    return errors.InternalError()


def _database_error(exc: Exception) -> errors.ApiError:
    state = getattr(exc.__cause__, "sqlstate", None)
    busy = state in _LOCK_NOT_AVAILABLE or LOCKED in str(exc)
    log_failure(logger, "database did not answer", exc)
    if not busy:
        return errors.ServiceUnavailable()
    lock_refusals.inc()
    return errors.Conflict()


def json_error(error: errors.ApiError) -> Response:
    """Return an error as it goes out: of a view, a middleware, or the framework's failures."""
    return Response(error.body, status=error.status, headers=error.headers)


def read_only(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wrap a read-only view outside DRF: any other method is refused, in JSON."""

    @csrf_exempt
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method in SAFE_METHODS:
            return view(request, *args, **kwargs)
        return json_error(errors.MethodNotAllowed.but(SAFE_METHODS))

    return guarded


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return json_error(api_error(exception))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer in JSON under /v1; elsewhere show a plain page with status 403."""
    if request.path.startswith(API_PREFIX):
        return json_error(errors.Unauthorized())
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return json_error(errors.NotFound())
