"""Send due payouts and record their results, for automatic providers."""

import logging
from collections.abc import Callable
from datetime import datetime

from django.db.models import QuerySet

from core.clock import clock_from, not_before
from core.instants import today_in
from core.sweeping import keys_by_page, sweep
from payouts.continuity import is_shut
from payouts.contradictions import held_back
from payouts.models import Payout
from payouts.providers import provider_for
from payouts.scheduling import FURTHEST_AHEAD
from payouts.services import mark_sent, record_failed, record_paid
from payouts.statuses import PayoutStatus

logger = logging.getLogger(__name__)

ACTOR = "system:payouts.send"


def send_due(*, now: datetime) -> int:
    """Send the payouts whose day has come; return how many this call sent.

    Live ones wait after a restore of the database until staff have compared it with the bank, and
    while the bank contradicts our record of an earlier payout of the merchant.
    """
    due = Payout.objects.sendable().filter(
        livemode__in=_modes_to_send(now),
        send_date__lte=(now + FURTHEST_AHEAD).date(),
    )
    return _each("send payouts", _send, due, now)


def fetch_results(*, now: datetime) -> int:
    """Poll the payouts in transit; return how many got their result."""
    moving = Payout.objects.filter(status=PayoutStatus.IN_TRANSIT, livemode__in=_automatic_modes())
    return _each("poll payouts", _fetch_result, moving, now)


def _automatic_modes() -> list[bool]:
    return [mode for mode in (True, False) if provider_for(livemode=mode).automatic]


def _modes_to_send(now: datetime) -> list[bool]:
    modes = _automatic_modes()
    if True in modes and is_shut(now=now):
        logger.warning("live payouts wait: the database was restored and not yet reconciled")
        modes.remove(True)
    return modes


def _send(payout: Payout, now: datetime) -> bool:
    if today_in(payout.merchant.time_zone, now) < payout.send_date:
        return False
    if payout.livemode and held_back(Payout.objects.filter(pk=payout.pk), livemode=True):
        return False
    mark_sent(payout_id=payout.id, actor=ACTOR, now=now)
    return True


def _fetch_result(payout: Payout, now: datetime) -> bool:
    result = provider_for(livemode=payout.livemode).fetch_result(payout, now=now)
    if result is None:
        return False
    if result.paid:
        record_paid(payout_id=payout.id, actor=ACTOR, now=now, bank_reference=result.bank_reference)
    else:
        record_failed(
            payout_id=payout.id, code=result.code, message=result.message, actor=ACTOR, now=now
        )
    return True


def _each(
    name: str, act: Callable[[Payout, datetime], bool], payouts: QuerySet[Payout], now: datetime
) -> int:
    clock = clock_from(now)

    def one(payout_id: str) -> bool:
        payout = Payout.objects.select_related("merchant", "bank_account").one(payout_id)
        return act(payout, not_before(payout.updated_at, clock()))

    return sweep(name, one, keys_by_page(payouts))
