"""The door for callers without a key or session, whose network pays for what they cost.

It stands last in each list of middleware: what it refuses is counted, logged and has its id. A
caller with a key or session is never refused, whatever others of the same network do; it is looked
up only once the network has spent its budget.
"""

import math
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from checkout.browser_session import has_session
from checkout.error_pages import PAGES
from config.request_log import actor_of
from core.client_address import client_address, wide_network_of
from core.clock import request_now
from core.errors import RateLimited
from core.handler import API_PREFIX, json_error
from core.visitor_budget import budget
from merchants.authentication import is_valid_key

NEVER_REFUSED = ("/healthz", "/readyz", "/metrics")

_GetResponse = Callable[[HttpRequest], HttpResponse]


def visitors(get_response: _GetResponse) -> _GetResponse:
    """Refuse, with 429, visitors of networks that have spent their budget."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not settings.VISITOR_SECONDS_PER_NETWORK or request.path in NEVER_REFUSED:
            return get_response(request)
        with budget.working():
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
    if request.path.startswith(API_PREFIX):
        return is_valid_key(request.META.get("HTTP_AUTHORIZATION", ""), request_now())
    if request.path.startswith(PAGES):
        return has_session(request, now=request_now())
    return request.user.is_authenticated


def _refusal(request: HttpRequest, wait: float) -> HttpResponse:
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
