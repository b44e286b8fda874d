"""Searches for words with keys that anyone can get: one at a time for each merchant.

A search through a hundred thousand rows takes the database seconds, and a thread of the web server
meanwhile. What it cost is charged when it ends (`core.visitor_budget`): too late for eight that
begin together.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from core.concurrency import CallerConcurrencyLimit, ConcurrencyLimitReached
from core.errors import RateLimited
from core.queries import WORDS, Lookups
from merchants.callers import Caller
from merchants.standing import has_self_service_key

self_service_searches = CallerConcurrencyLimit(max(1, settings.WEB_THREADS // 4), per_caller=1)


@contextmanager
def search_slot(caller: Caller, lookups: Lookups) -> Iterator[None]:
    """Run a list, which may be a search. Raises RateLimited if others hold the slots.

    Lists that search for no words, and the keys of verified merchants, need none; nor does anyone
    in development, where visitors are not limited either.
    """
    if (
        WORDS not in lookups
        or not settings.VISITOR_SECONDS_PER_NETWORK
        or not has_self_service_key(caller)
    ):
        yield
        return
    try:
        with self_service_searches.hold(caller.merchant_id or ""):
            yield
    except ConcurrencyLimitReached:
        raise RateLimited.retry_in(1, "Another search is under way.") from None
