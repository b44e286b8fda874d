"""The events of a caller after a number, oldest first; a request may wait for the next one.

A waiting request holds a thread of the web server, and nothing else: no connection to the database
and no lock. If no slot is free (`webhooks.waiting_slots`), it is answered at once.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain
from typing import Self

from django.db import connection

from core.concurrency import ConcurrencyLimitReached
from core.errors import InvalidRequest
from core.pagination import Page, PageQuery, page_from, whole_number
from core.prepared import planned_by_values
from core.queries import Lookups
from core.whole_days import BEFORE, FROM
from merchants.callers import Caller
from merchants.standing import has_self_service_key, refuse_ended_key
from webhooks.models import Event, FeedEntry
from webhooks.numbering import number_events
from webhooks.waiting_slots import feed_slots

MAX_WAIT_SECONDS = 25
POLL_SECONDS = 0.5
# When to resend a request that was not allowed to wait.
RETRY_SECONDS = 2
# Between dates, so many events are read one by one; of more, those around the dates are found.
NEAR = 5_000
# Events are numbered as they are written: other work has been stopped long before it takes so long.
DISORDER = timedelta(minutes=10)
# What an entry has, too: its indexes find these in the order of the feed.
OF_ENTRY = {name: f"entry__{name}" for name in ("type", "resource_id")}


@dataclass(frozen=True)
class FeedQuery:
    """The number to start after, the page size, and how many seconds to wait for an event."""

    after: int
    wait: int
    page: PageQuery

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> Self | None:
        """Parse the query string; None if it asks for no feed. Raises InvalidRequest."""
        if "after" not in query:
            if "wait" in query:
                raise InvalidRequest("wait: needs after")
            return None
        for name in ("offset", "starting_after"):
            if name in query:
                raise InvalidRequest(f"{name}: does not go with after")
        wait = whole_number(query, "wait", default=0, lowest=0)
        if wait > MAX_WAIT_SECONDS:
            raise InvalidRequest(f"wait: must be at most {MAX_WAIT_SECONDS}")
        after = whole_number(query, "after", default=0, lowest=0)
        return cls(after, wait, PageQuery.parse(query))


@dataclass(frozen=True)
class FeedPage:
    """A page of the feed. `is_early`: it is empty, and the wait was shorter than asked for."""

    page: Page
    is_early: bool = False


def read_feed(*, caller: Caller, query: FeedQuery, lookups: Lookups) -> FeedPage:
    """Return the caller's events after a number; if there are none, wait for one if asked to.

    Raises InvalidRequest for a number that was never assigned, ValidationFailed without a merchant,
    and as `refuse_ended_key` if the key or the merchant has been stopped during the wait. Serves
    GET /v1/events.
    """
    head = _head_of(caller)
    if query.after > head:
        raise InvalidRequest(f"after: must be at most {head}, the number of the latest event")
    page = _page_after(caller, query, lookups, head)
    if page.items or not query.wait:
        return FeedPage(page)
    name, is_self_service = f"{caller.owner.id} {caller.livemode}", has_self_service_key(caller)
    try:
        with feed_slots.hold(name, is_self_service=is_self_service):
            deadline = time.monotonic() + query.wait
            while not page.items and _waits_for_more(caller, head, deadline):
                query, head = replace(query, after=head), _head_of(caller)
                page = _page_after(caller, query, lookups, head)
        refuse_ended_key(caller)
    except ConcurrencyLimitReached:
        return FeedPage(page, is_early=True)
    return FeedPage(page)


def _page_after(caller: Caller, query: FeedQuery, lookups: Lookups, head: int) -> Page:
    """Read the next page. Numbers are committed in order, so none can appear in between later.

    Unfiltered, the numbers up to `head` count the events; filtered, only those read are counted.
    """
    with planned_by_values():
        after, last = _numbers_of_dates(caller, query.after, head, lookups)
        found = _first_between(caller, after, last, lookups, query.page.limit + 1)
    count = len(found) if lookups else head - query.after
    return page_from(found, query.page, lambda: count)


def _numbers_of_dates(caller: Caller, after: int, head: int, lookups: Lookups) -> tuple[int, int]:
    """Narrow down the numbers above `after`, up to `head`, to those of events around the dates."""
    if head - after <= NEAR:
        return after, head
    numbered = Event.objects.visible_to(caller).filter(entry__isnull=False)
    numbers = numbered.values_list("entry__sequence", flat=True)
    if FROM in lookups:
        older = numbers.filter(created_at__lt=lookups[FROM] - DISORDER)
        after = max(after, older.order_by("-created_at", "-pk").first() or 0)
    if BEFORE in lookups:
        newer = numbers.filter(created_at__gte=lookups[BEFORE] + DISORDER)
        # Numbered since, perhaps: then all numbers before it are committed as well.
        head = newer.order_by("created_at", "pk").first() or head
    return after, head


def _first_between(
    caller: Caller, after: int, head: int, lookups: Lookups, most: int
) -> list[Event]:
    """Read the first events above `after`, up to `head`; of a group of types, those of each type.

    Each type has its index in this order; for all at once, PostgreSQL may read all of the caller's
    events. The types are read one after the other: without `head`, a page could have what was
    numbered meanwhile, and lack an earlier event of a type that was read before.
    """
    if "type__in" in lookups:
        others = {name: value for name, value in lookups.items() if name != "type__in"}
        by_type = (
            _first_between(caller, after, head, others | {"type": each}, most)
            for each in lookups["type__in"]
        )
        return sorted(chain.from_iterable(by_type), key=lambda event: event.sequence or 0)[:most]
    # An entry has its event's owner and mode. Asked for both, PostgreSQL holds them independent,
    # expects two events, and sorts all of the caller's. Dates need the events' own index.
    is_of_entry = lookups.keys() <= OF_ENTRY.keys()
    events = Event.objects.all() if is_of_entry else Event.objects.visible_to(caller)
    rows = events.filter(
        entry__merchant=caller.owner,
        entry__livemode=caller.livemode,
        entry__sequence__gt=after,
        entry__sequence__lte=head,
        **{OF_ENTRY.get(name, name): value for name, value in lookups.items()},
    )
    return list(rows.with_number().order_by("entry__sequence")[:most])


def _waits_for_more(caller: Caller, head: int, deadline: float) -> bool:
    """Sleep until there is an event with a number above `head`; False at the deadline."""
    while (left := deadline - time.monotonic()) > 0:
        if not connection.in_atomic_block:
            connection.close()
        time.sleep(min(POLL_SECONDS, left))
        number_events()
        if _head_of(caller) > head:
            return True
    return False


def _head_of(caller: Caller) -> int:
    """Return the number of the caller's latest event; 0 before the first."""
    entries = FeedEntry.objects.filter(merchant=caller.owner, livemode=caller.livemode)
    latest = entries.order_by("-sequence").values_list("sequence", flat=True).first()
    return latest or 0
