"""The door for callers without a key or session, whose network pays for what they cost.

It stands before everything else, so that refusing costs next to nothing; a refusal is counted, not
logged. A caller with a key or session is never refused, whatever others of the same network do; it
is looked up only once the network has spent its budget.
"""

import math
import time
from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter

from checkout.browser_session import has_session
from config.request_log import actor_of
from core.client_address import client_address, wide_network_of
from core.clock import one_instant, request_now
from core.errors import RateLimited
from core.handler import API_PREFIX, json_error
from core.prepared import Place, PreparedValues
from core.text import is_storable
from core.visitor_budget import budget
from merchants.authentication import is_valid_key

PROBES = ("/healthz", "/readyz")

refused = Counter("visitors_refused", "Requests of networks that had spent their budget.")

_GetResponse = Callable[[HttpRequest], HttpResponse]


def visitors(get_response: _GetResponse) -> _GetResponse:
    """Refuse, with 429, visitors of networks that have spent their budget."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path in PROBES:
            # Monitoring asks by the address of a machine, which is none of our names.
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0]
            if _is_from_inside(request):
                return get_response(request)
        if not settings.VISITOR_SECONDS_PER_NETWORK:
            return get_response(request)
        network = wide_network_of(client_address(request))
        if wait := budget.wait(network):
            return get_response(request) if _is_known(request) else _refusal(request, wait)
        before = time.thread_time()
        response = get_response(request)
        if not actor_of(request):
            budget.charge(network, time.thread_time() - before)
        return response

    return middleware


def _is_from_inside(request: HttpRequest) -> bool:
    """Return whether a request has not come by way of the proxy, as those of the world do."""
    return "HTTP_X_FORWARDED_FOR" not in request.META or not settings.TRUSTED_PROXIES


def _is_known(request: HttpRequest) -> bool:
    """Return whether a key or session that is good now comes with a request."""
    with one_instant():
        if request.path.startswith(API_PREFIX):
            return is_valid_key(request.META.get("HTTP_AUTHORIZATION", ""), request_now())
        return has_session(request, now=request_now()) or _is_staff(request)


def _is_staff(request: HttpRequest) -> bool:
    cookie = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    if not cookie or not is_storable(cookie) or not _sessions().rows(key=cookie):
        return False
    request.session = SessionStore(cookie)
    return get_user(request).is_authenticated


@cache
def _sessions() -> PreparedValues:
    """Prepared: anyone may send a made-up cookie, with each request that is refused."""
    return PreparedValues(Session.objects.filter(pk=Place("key")).values_list("expire_date"))


def _refusal(request: HttpRequest, wait: float) -> HttpResponse:
    refused.inc()
    seconds = str(math.ceil(wait))
    error = RateLimited(f"Try again in {seconds} seconds.")
    error.headers["Retry-After"] = seconds
    if request.path.startswith(API_PREFIX):
        return json_error(error)
    return HttpResponse(
        f"Too many requests. Try again in {seconds} seconds.\n",
        status=error.status,
        content_type="text/plain; charset=utf-8",
        headers=error.headers,
    )
