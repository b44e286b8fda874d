"""Limit the payments that anyone can open at a link or counter: each leaves rows and an event.

Anyone who knows the URL on a poster could otherwise flood the merchant's list, and the queue in
which the events of sales wait. Counted like all rate limits, not in the database: a link on a
poster must not become a hot row.
"""

from django.conf import settings
from limits import RateLimitItemPerHour
from limits.strategies import SlidingWindowCounterRateLimiter

from checkout.browser_session import BrowserSession
from core.client_address import wide_network_of
from core.errors import RateLimited
from core.throttling import RateLimit, consume_always

# Far above what a till takes: customers of a mobile network who are not signed in share a limit.
MOST_PER_NETWORK, MOST_PER_LINK = 600, 6_000
# For a network, and likewise for a live customer.
PER_NETWORK = RateLimit(
    "opened", RateLimitItemPerHour(MOST_PER_NETWORK), SlidingWindowCounterRateLimiter
)
PER_LINK = RateLimit("link", RateLimitItemPerHour(MOST_PER_LINK), SlidingWindowCounterRateLimiter)


class SignInToOpen(RateLimited):
    """Visitors have opened too many payments here; someone who signs in can still open one."""


def count_opening(origin: str, browser: BrowserSession, address: str) -> None:
    """Count a payment that is about to be opened at a link or counter.

    Raises SignInToOpen, or RateLimited for someone who is signed in.

    A live customer, who holds a phone, is counted alone: strangers cannot use up their share. What
    visitors may cost is not limited in development, nor is this.
    """
    if not settings.VISITOR_SECONDS_PER_NETWORK:
        return
    if browser.customer and browser.customer.livemode:
        consume_always((PER_NETWORK,), f"opened {origin} {browser.customer.pk}")
        return
    try:
        consume_always((PER_NETWORK,), f"opened {origin} {wide_network_of(address)}")
        consume_always((PER_LINK,), f"opened {origin}")
    except RateLimited as error:
        refusal = SignInToOpen(error.details)
        refusal.headers = error.headers
        raise refusal from error
