"""What applies to every page of the back office, and to no other page of the service."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from backoffice.resource.page_urls import links_for
from core.clock import request_now
from core.errors import InvalidRequest, NotFound
from core.handler import json_error
from core.middleware import refusal_of_address
from core.prepared import planned_by_values
from core.text import is_storable

PREFIX = "/admin"
SEEN_KEY = "staff_seen"
SINCE_KEY = "staff_since"
# A request within this of the last one noted writes nothing to the session.
COARSE = timedelta(seconds=30)

_GetResponse = Callable[[HttpRequest], HttpResponse]


def staff_pages(get_response: _GetResponse) -> _GetResponse:
    """Keep the back office on its own host, end idle sessions, and forbid caching."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path != PREFIX and not request.path.startswith(f"{PREFIX}/"):
            return get_response(request)
        if settings.ADMIN_HOST and request.get_host() != settings.ADMIN_HOST:
            return json_error(NotFound())
        if refusal := refusal_of_address(request):
            return json_error(refusal)
        if not is_storable(request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")):
            return json_error(InvalidRequest("A cookie contains a character not allowed."))
        _end_late_session(request, request_now())
        with (
            links_for(request),
            planned_by_values(),
            timezone.override(settings.STAFF_TIME_ZONE),
            translation.override("en"),
        ):
            response = get_response(request)
        response["Cache-Control"] = "no-store"
        return response

    return middleware


def _end_late_session(request: HttpRequest, instant: datetime) -> None:
    """End a session that was idle too long, or has reached its maximum age."""
    if not request.user.is_authenticated:
        return
    seen = _instant_of(request, SEEN_KEY, instant)
    since = _instant_of(request, SINCE_KEY, instant)
    idle = timedelta(seconds=settings.STAFF_IDLE_SECONDS)
    longest = timedelta(seconds=settings.STAFF_SESSION_SECONDS)
    if instant - seen >= idle or instant - since >= longest:
        logout(request)
    elif SEEN_KEY not in request.session or instant - seen >= COARSE:
        request.session[SEEN_KEY] = instant.isoformat()
        request.session[SINCE_KEY] = since.isoformat()


def _instant_of(request: HttpRequest, key: str, otherwise: datetime) -> datetime:
    text = request.session.get(key)
    return datetime.fromisoformat(text) if text else otherwise
