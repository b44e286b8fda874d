"""The answer to a request that has failed where no view answers its own failures."""

import logging
import sys

from django.db import DataError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string

from checkout.error_pages import PAGES, StoppedPage
from core.errors import ApiError, InternalError
from core.handler import API_PREFIX, api_error, json_error

logger = logging.getLogger(__name__)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Answer with the error that the exception stands for, in the form that was asked for.

    Django calls this for every exception it does not know, also for those of a database that does
    not answer: 503, since the request may be repeated.
    """
    failure = sys.exception()
    if isinstance(failure, DataError):  # a form or filter let it through: 400, and ours to mend
        logger.warning("unfit for the database", exc_info=failure)
    error = api_error(failure) if isinstance(failure, Exception) else InternalError()
    if request.path.startswith(PAGES):
        return StoppedPage.as_view(error=error)(request)
    is_api = request.path.startswith(API_PREFIX)
    if not is_api and "text/html" in request.headers.get("Accept", ""):
        return _page(request, error)
    return json_error(error)


def _page(request: HttpRequest, error: ApiError) -> HttpResponse:
    """Render a page for a person, with nothing that needs the database."""
    context = {
        "message": error.message,
        "request_id": request.META.get("HTTP_X_REQUEST_ID", ""),
        "address": request.get_full_path() if request.method in ("GET", "HEAD") else "",
    }
    response = HttpResponse(
        render_to_string("failed.html", context), status=error.status, headers=error.headers
    )
    response["Cache-Control"] = "no-store"
    return response
