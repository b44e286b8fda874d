"""Budgets of CPU time and storage, for every caller but staff and verified merchants.

They are checked before anything else, so that a refusal costs next to nothing; it is counted, not
logged. Staff and the keys of verified merchants are never refused, whatever others on their network
do. Visitors share the budget of their network, and credentials that anyone can get exempt no one
from it: a test-mode session counts as a visitor's, and the keys of unverified merchants have a
second budget per network. A live customer has a separate one, which no person spends: a phone is
cheap, and its session can be sent from anywhere. So has a browser in which staff have signed in
before, for signing in again: strangers must not keep them from stopping a flood. It has no other:
a copy of its mark can be sent from many networks.

Callers are only looked up once the network has spent a budget. Those without credentials are
refused by `refuse_before_django`, at a fifteenth of the cost; a session without our signature
counts as none.
"""

import math
import re
import time
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache, lru_cache
from http import HTTPStatus
from typing import NamedTuple
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.models import Session
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter

from backoffice.known_browsers import SIGNED_IN_AT, marked_browser
from backoffice.session_store import SessionStore
from checkout.browser_session import live_customer_id, session_cookie
from config.probes import MONITORING
from config.request_log import actor_of
from core.client_address import address_in, is_from_inside, wide_network_of
from core.clock import one_instant, request_now
from core.errors import RateLimited
from core.handler import API_PREFIX, json_error
from core.prepared import Placeholder, PreparedValues
from core.signed_tokens import is_signed_token
from core.statement_time import statement_seconds
from core.stored_bytes import price_of_bytes
from core.visitor_budget import customers, staff_browsers, testers, visitors
from merchants.authentication import find_active
from merchants.callers import Caller
from merchants.models import Merchant
from merchants.standing import is_self_service

refused = Counter(
    "visitors_refused",
    "Requests refused because their payer had spent its budget.",
)

MOST_KEPT = 256
# What a request costs outside of the time measured here: in granian, WSGI and the log.
OVERHEAD_SECONDS = 0.0004
_GetResponse = Callable[[HttpRequest], HttpResponse]


class Standing(Enum):
    """A caller's credentials: none, a key that anyone can get, a phone, a mark, or a secret."""

    VISITOR = "visitor"
    TESTER = "tester"
    CUSTOMER = "customer"
    STAFF_BROWSER = "staff browser"
    KNOWN = "known"


class _Payer(NamedTuple):
    """Who is charged for a request: a network by its address, a customer or browser by its id."""

    standing: Standing
    name: str


_BUDGETS = {
    Standing.VISITOR: visitors,
    Standing.TESTER: testers,
    Standing.CUSTOMER: customers,
    Standing.STAFF_BROWSER: staff_browsers,
}


def refuse_before_django(application: WSGIApplication) -> WSGIApplication:
    """Refuse callers without credentials whose network has spent its budget."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not is_visitor(environ) or not settings.VISITOR_SECONDS_PER_NETWORK:
            return application(environ, start_response)
        if not (wait := visitors.wait(_network_of(environ))):
            return application(environ, start_response)
        is_api = environ["PATH_INFO"].startswith(API_PREFIX)
        status, headers, body = _rendered_refusal(is_api, math.ceil(wait))
        start_response(status, list(headers))
        refused.inc()
        return [body]

    return answer


def is_visitor(environ: WSGIEnvironment) -> bool:
    """Return whether a request shows no credentials, and is not from monitoring."""
    return environ["PATH_INFO"] not in MONITORING and not _shows_credentials(environ)


def _shows_credentials(environ: WSGIEnvironment) -> bool:
    """Return whether a request has credentials: a key, a session we signed, or staff's mark."""
    if environ["PATH_INFO"].startswith(API_PREFIX):
        return "HTTP_AUTHORIZATION" in environ
    # The last cookie of a name counts, as in Django.
    shown = dict(_session_cookies().findall(environ.get("HTTP_COOKIE", "")))
    if any(is_signed_token(value.strip()) for value in shown.values()):
        return True
    return bool(_staff_browser_of(environ))


def _staff_browser_of(meta: Mapping[str, str]) -> str:
    """Return the id of the browser that asks for one of staff's pages and bears our mark."""
    is_there = meta.get("PATH_INFO", "").startswith(SIGNED_IN_AT)
    return marked_browser(meta.get("HTTP_COOKIE", "")) if is_there else ""


@cache
def _session_cookies() -> re.Pattern[str]:
    sessions = (session_cookie(livemode=True), settings.SESSION_COOKIE_NAME)
    names = "|".join(map(re.escape, sessions))
    return re.compile(rf"(?:^|[;,])\s*({names})=([^;,]*)")


@lru_cache(MOST_KEPT)
def _rendered_refusal(is_api: bool, seconds: int) -> tuple[str, tuple[tuple[str, str], ...], bytes]:
    """Return the status line, the headers, and the body of a refusal."""
    response = _refusal(is_api, seconds)
    status = f"{response.status_code} {response.reason_phrase}"
    return status, tuple(response.items()), response.content


def charge_visitors(get_response: _GetResponse) -> _GetResponse:
    """Refuse, with 429, those who have spent theirs: a network, live customer or staff browser."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path in MONITORING:
            # Monitoring uses the address of a machine, which is not among our host names.
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0]
            if is_from_inside(request):
                return get_response(request)
        if not settings.VISITOR_SECONDS_PER_NETWORK:
            return get_response(request)
        network = _network_of(request.META)
        browser = _staff_browser_of(request.META)
        is_spent = visitors.wait(network) or testers.wait(network) or staff_browsers.wait(browser)
        looked_up = _look_up_if_possible(request, network) if is_spent else None
        if looked_up and (wait := _wait_of(looked_up)):
            refused.inc()
            return _refusal(request.path.startswith(API_PREFIX), math.ceil(wait))
        before, waited, stored = time.thread_time(), statement_seconds(), price_of_bytes()
        response = get_response(request)
        payer = looked_up or _payer_of(request, response, network)
        if payer.standing in _BUDGETS:
            cost = OVERHEAD_SECONDS + time.thread_time() - before + price_of_bytes() - stored
            if payer.standing is Standing.TESTER:  # their searches may read all that they stored
                cost += statement_seconds() - waited
            _BUDGETS[payer.standing].charge(payer.name, cost)
        return response

    return middleware


def _network_of(meta: Mapping[str, str]) -> str:
    return wide_network_of(address_in(meta))


def _wait_of(payer: _Payer) -> float:
    """Return the seconds until the payer may be served again; 0 if that is now."""
    return _BUDGETS[payer.standing].wait(payer.name) if payer.standing in _BUDGETS else 0.0


def _look_up_if_possible(request: HttpRequest, network: str) -> _Payer | None:
    """Return the payer; None while the database does not answer: the view then answers 503."""
    try:
        return _look_up(request, network)
    except (InterfaceError, OperationalError):
        return None


def _look_up(request: HttpRequest, network: str) -> _Payer:
    """Return the payer by a request's key or session, looked up now."""
    with one_instant():
        if request.path.startswith(API_PREFIX):
            key = find_active(request.META.get("HTTP_AUTHORIZATION", ""), request_now())
            if key is None:
                return _Payer(Standing.VISITOR, network)
            return _Payer(_standing_of_key(key.merchant, livemode=key.livemode), network)
        if customer_id := live_customer_id(request, now=request_now()):
            return _Payer(Standing.CUSTOMER, customer_id)
        if _is_staff(request):
            return _Payer(Standing.KNOWN, network)
        if browser := _staff_browser_of(request.META):
            return _Payer(Standing.STAFF_BROWSER, browser)
        return _Payer(Standing.VISITOR, network)


def _payer_of(request: HttpRequest, response: HttpResponse, network: str) -> _Payer:
    """Return the payer of a request that was answered, by what its view has looked up."""
    caller = getattr(request, "user", None) if request.path.startswith(API_PREFIX) else None
    if isinstance(caller, Caller) and caller.merchant is not None:
        return _Payer(_standing_of_key(caller.merchant, livemode=caller.livemode), network)
    if actor_of(request):
        return _Payer(Standing.KNOWN, network)
    if browser := _staff_browser_of(request.META):
        return _Payer(Standing.STAFF_BROWSER, browser)
    visitor = _Payer(Standing.VISITOR, network)
    # A key may have been sent to a URL that requires none, or that does not exist. If it could not
    # be looked up a moment ago, the request is not held up a second time.
    is_away = response.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    if is_away or "HTTP_AUTHORIZATION" not in request.META:
        return visitor
    return _look_up_if_possible(request, network) or visitor


def _standing_of_key(merchant: Merchant, *, livemode: bool) -> Standing:
    return Standing.TESTER if is_self_service(merchant, livemode=livemode) else Standing.KNOWN


def _is_staff(request: HttpRequest) -> bool:
    cookie = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    if not is_signed_token(cookie) or not _sessions().rows(key=cookie):
        return False
    request.session = SessionStore(cookie)
    return get_user(request).is_authenticated


@cache
def _sessions() -> PreparedValues:
    """Return the session query, prepared, as anyone can send an ended session's cookie at will."""
    return PreparedValues(Session.objects.filter(pk=Placeholder("key")).values_list("expire_date"))


def _refusal(is_api: bool, seconds: int) -> HttpResponse:
    error = RateLimited.retry_in(seconds)
    if is_api:
        return json_error(error)
    return HttpResponse(
        f"Too many requests. {error.details}\n",
        status=error.status,
        content_type="text/plain; charset=utf-8",
        headers=error.headers,
    )
