"""Send what is due and record the answers, where a provider does this by itself."""

from collections.abc import Callable
from datetime import datetime, timedelta

from core.errors import ApiError
from payouts.business_days import today_in
from payouts.models import Payout
from payouts.providers import provider_for
from payouts.services import mark_sent, record_failed, record_paid
from payouts.statuses import PayoutStatus

BATCH = 500
ACTOR = "system:payouts.send"
FURTHEST_AHEAD = timedelta(days=1)  # the date in the first time zone to reach it


def send_due(*, now: datetime, limit: int = BATCH) -> int:
    """Send the payouts whose day has come; return how many this call sent."""
    due = Payout.objects.filter(
        status=PayoutStatus.SCHEDULED,
        livemode__in=_automatic_modes(),
        send_date__lte=(now + FURTHEST_AHEAD).date(),
    )
    waiting = due.select_related("merchant").order_by("send_date", "id")[:limit]
    return _count(_send, list(waiting), now)


def ask_for_answers(*, now: datetime, limit: int = BATCH) -> int:
    """Ask after the payouts on their way; return how many this call brought to an end."""
    moving = Payout.objects.filter(status=PayoutStatus.IN_TRANSIT, livemode__in=_automatic_modes())
    waiting = moving.select_related("merchant", "bank_account").order_by("arrival_date", "id")
    return _count(_ask, list(waiting[:limit]), now)


def _automatic_modes() -> list[bool]:
    return [mode for mode in (True, False) if provider_for(livemode=mode).automatic]


def _send(payout: Payout, now: datetime) -> bool:
    if today_in(payout.merchant.time_zone, now) < payout.send_date:
        return False
    mark_sent(payout_id=payout.id, actor=ACTOR, now=now)
    return True


def _ask(payout: Payout, now: datetime) -> bool:
    answer = provider_for(livemode=payout.livemode).ask(payout, now=now)
    if answer is None:
        return False
    if answer.paid:
        record_paid(payout_id=payout.id, actor=ACTOR, now=now, bank_reference=answer.bank_reference)
    else:
        record_failed(
            payout_id=payout.id, code=answer.code, message=answer.message, actor=ACTOR, now=now
        )
    return True


def _count(act: Callable[[Payout, datetime], bool], payouts: list[Payout], now: datetime) -> int:
    done = 0
    for payout in payouts:
        try:
            done += act(payout, now)
        except ApiError:
            continue  # another worker was here first
    return done
