"""How many payments anyone may open at a link or counter: each is rows for good, and an event.

Who knows the address of a poster would otherwise fill the list of its merchant, and the queue of
events in which those of sales wait. Counted as all limits of requests are, apart from the database:
a link on a poster must not become a hot row.
"""

from django.conf import settings
from limits import RateLimitItemPerHour
from limits.strategies import SlidingWindowCounterRateLimiter

from checkout.browser_session import BrowserSession
from core.client_address import wide_network_of
from core.throttling import RateLimit, consume_always

# Far above what a till takes: customers of one mobile network who are not signed in share one.
MOST_PER_NETWORK, MOST_PER_LINK = 600, 6_000
PER_NETWORK = RateLimit(
    "opened", RateLimitItemPerHour(MOST_PER_NETWORK), SlidingWindowCounterRateLimiter
)
PER_LINK = RateLimit("link", RateLimitItemPerHour(MOST_PER_LINK), SlidingWindowCounterRateLimiter)


def count_opening(origin: str, browser: BrowserSession, address: str) -> None:
    """Count a payment that is about to be opened at a link or counter. Raises RateLimited.

    A live customer, who holds a phone, is counted alone: strangers cannot use up their share. What
    visitors may cost is not limited in development, nor is this.
    """
    if not settings.VISITOR_SECONDS_PER_NETWORK:
        return
    if browser.customer and browser.customer.livemode:
        consume_always((PER_NETWORK,), f"opened {origin} {browser.customer.pk}")
        return
    consume_always((PER_NETWORK,), f"opened {origin} {wide_network_of(address)}")
    consume_always((PER_LINK,), f"opened {origin}")
