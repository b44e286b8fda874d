"""What callers without a key or staff session may cost: processor time, per network and process.

Every page, picture, PDF, password and wrong key is paid from one budget per network (/24 or /48),
by what it took and not by its kind, so that nothing expensive has to be thought of. A network that
has spent it is refused at the door while the process has others to serve. Credentials that have
just proved good pass, and cost nothing here.
"""

import hashlib
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from core.client_address import client_address, wide_network_of
from core.errors import RateLimited
from core.handler import API_PREFIX, json_error

# Spent at once, before the rate counts: a burst of some fifty pages.
BURST_SECONDS = 0.5
# While no more than this are at work here, no one waits for a network that has spent its budget.
QUIET = 2
MOST_KEPT = 10_000
PROVEN_SECONDS = 15 * 60
MINUTE = 60
NEVER_REFUSED = ("/healthz", "/readyz")

_GetResponse = Callable[[HttpRequest], HttpResponse]


class VisitorBudget:
    """The debts of networks, the credentials that have proved good, and how many are at work."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._debts: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._proven: OrderedDict[bytes, float] = OrderedDict()
        self._trying: set[str] = set()
        self._at_work = 0

    def wait(self, network: str) -> float:
        """Return the seconds until this network may be served again; 0 where it may now."""
        with self._lock:
            if self._at_work <= QUIET:
                return 0
            return max(0.0, self._debt(network) - BURST_SECONDS) / _rate()

    def charge(self, network: str, seconds: float) -> None:
        """Note what a request has cost."""
        with self._lock:
            debt = self._debt(network) + seconds
            self._debts[network] = (debt, time.monotonic())
            self._debts.move_to_end(network)
            if len(self._debts) > MOST_KEPT:
                self._debts.popitem(last=False)

    def is_proven(self, credential: bytes) -> bool:
        """Return whether this credential was good a while ago, in this process."""
        proven_at = self._proven.get(credential)
        return proven_at is not None and time.monotonic() - proven_at < PROVEN_SECONDS

    def prove(self, credential: bytes) -> None:
        """Note that a credential is good."""
        with self._lock:
            self._proven[credential] = time.monotonic()
            self._proven.move_to_end(credential)
            if len(self._proven) > MOST_KEPT:
                self._proven.popitem(last=False)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count a request as being at work."""
        with self._lock:
            self._at_work += 1
        try:
            yield
        finally:
            with self._lock:
                self._at_work -= 1

    def begin_trying(self, network: str) -> bool:
        """Return whether a key may be looked up for a network that has spent its budget."""
        with self._lock:
            is_free = network not in self._trying
            self._trying.add(network)
            return is_free

    def end_trying(self, network: str) -> None:
        with self._lock:
            self._trying.discard(network)

    def clear(self) -> None:
        """Forget everything but who is at work."""
        with self._lock:
            self._debts.clear()
            self._proven.clear()

    def _debt(self, network: str) -> float:
        debt, since = self._debts.get(network, (0.0, 0.0))
        return max(0.0, debt - (time.monotonic() - since) * _rate())


budget = VisitorBudget()


def visitor_budget(get_response: _GetResponse) -> _GetResponse:
    """Refuse, with 429, networks of visitors that have spent their budget."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not settings.VISITOR_SECONDS_PER_NETWORK or request.path in NEVER_REFUSED:
            return get_response(request)
        with budget.working():
            credential = _credential_of(request)
            if credential and budget.is_proven(credential):
                return get_response(request)
            return _served(request, credential, get_response)

    return middleware


def _served(request: HttpRequest, credential: bytes, get_response: _GetResponse) -> HttpResponse:
    """Serve a visitor, or a credential that has yet to prove good, from the network's budget."""
    network = wide_network_of(client_address(request))
    wait = budget.wait(network)
    if not wait:
        return _charged(request, credential, network, get_response)
    # One key at a time is looked up nevertheless: a merchant may share the network.
    if not _is_keyed(request) or not budget.begin_trying(network):
        return _refusal(request, wait)
    try:
        return _charged(request, credential, network, get_response)
    finally:
        budget.end_trying(network)


def _charged(
    request: HttpRequest, credential: bytes, network: str, get_response: _GetResponse
) -> HttpResponse:
    before = time.thread_time()
    response = get_response(request)
    if credential and _has_proved_good(request):
        budget.prove(credential)
    else:
        budget.charge(network, time.thread_time() - before)
    return response


def _credential_of(request: HttpRequest) -> bytes:
    """Return a digest of the key or staff session that comes with a request, if any."""
    sent = request.META.get("HTTP_AUTHORIZATION", "") if _is_keyed(request) else ""
    sent = sent or request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    return hashlib.sha256(sent.encode(errors="replace")).digest() if sent else b""


def _is_keyed(request: HttpRequest) -> bool:
    return request.path.startswith(API_PREFIX) and "HTTP_AUTHORIZATION" in request.META


def _has_proved_good(request: HttpRequest) -> bool:
    if _is_keyed(request):
        return getattr(request, "has_valid_key", False)
    user = getattr(request, "user", None)
    return user is not None and user.is_authenticated


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


def _rate() -> float:
    """Return how many seconds of budget come back in a second."""
    rate: float = settings.VISITOR_SECONDS_PER_NETWORK / MINUTE
    return rate
