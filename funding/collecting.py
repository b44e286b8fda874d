"""The periodic work: poll the automatic providers, go on with payments, stop waiting in time.

Live top-ups go first: anyone makes as many of the others as they like.
"""

from collections.abc import Callable
from datetime import datetime

from django.db.models import QuerySet

from core.clock import clock_from, not_before
from core.sweeping import sweep
from funding.continuing import follow_up
from funding.models import FundingWay, TopUp
from funding.providers import providers
from funding.services import credit_top_up, expire_top_up, fail_top_up

BATCH = 500
ACTOR = "system:funding.collect"


def collect_results(*, now: datetime) -> int:
    """Poll pending top-ups of automatic providers; return how many got a result."""
    waiting = to_collect(now).order_by("expires_at", "pk")
    return _each("collect top-ups", _collect, waiting, now)


def to_collect(now: datetime) -> QuerySet[TopUp]:
    """Return the pending top-ups of automatic providers."""
    ways = [way for way, provider in providers().items() if provider.automatic]
    return TopUp.objects.waiting(now).filter(way__in=ways)


def follow_up_due(*, now: datetime) -> int:
    """Continue the payments whose top-ups have arrived; return how many were handled."""

    def one(top_up: TopUp, now: datetime) -> bool:
        return follow_up(top_up_id=top_up.pk, now=now)

    due = TopUp.objects.to_follow_up().order_by("-livemode", "succeeded_at", "pk")
    return _each("follow up top-ups", one, due, now)


def expire_due(*, now: datetime) -> int:
    """Expire the top-ups whose money has not come in time; return how many."""

    def one(top_up: TopUp, now: datetime) -> bool:
        return expire_top_up(top_up_id=top_up.pk, now=now)

    late = TopUp.objects.pending().filter(expires_at__lte=now)
    return _each("expire top-ups", one, late.order_by("-livemode", "expires_at", "pk"), now)


def _collect(top_up: TopUp, now: datetime) -> bool:
    result = providers()[FundingWay(top_up.way)].fetch_result(top_up, now=now)
    if result is None:
        return False
    if result.amount:
        credit_top_up(top_up_id=top_up.pk, amount=result.amount, actor=ACTOR, now=now)
    else:
        fail_top_up(top_up_id=top_up.pk, problem=result.problem, actor=ACTOR, now=now)
    return True


def _each(
    name: str,
    act: Callable[[TopUp, datetime], bool],
    rows: QuerySet[TopUp],
    now: datetime,
) -> int:
    clock = clock_from(now)

    def one(top_up: TopUp) -> bool:
        return act(top_up, not_before(top_up.updated_at, clock()))

    return sweep(name, one, list(rows[:BATCH]))
