"""The door for callers without a key or session, whose network pays for what they cost.

It stands before everything else, so that refusing costs next to nothing; a refusal is counted, not
logged. A caller with a key or session is never refused, whatever others of the same network do; it
is looked up only once the network has spent its budget.
"""

import math
import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter

from checkout.browser_session import has_session
from config.request_log import actor_of
from core.client_address import client_address, wide_network_of
from core.clock import one_instant, request_now
from core.errors import RateLimited
from core.handler import API_PREFIX, json_error
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


def _is_known(request: HttpRequest) -> bool:
    """Return whether a key or session that is good now comes with a request."""
    with one_instant():
        if request.path.startswith(API_PREFIX):
            return is_valid_key(request.META.get("HTTP_AUTHORIZATION", ""), request_now())
        return has_session(request, now=request_now()) or _is_staff(request)


def _is_staff(request: HttpRequest) -> bool:
    cookie = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not cookie:
        return False
    request.session = SessionStore(cookie)
    return get_user(request).is_authenticated


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
