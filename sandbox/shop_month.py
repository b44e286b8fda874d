"""A shop's month to explore: sales, refunds and payouts of the last thirty days.

Drawn at random with a fixed seed, then carried out in chronological order by the services behind
the API, each at the time of its event: so the ledger's proofs hold for it too.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

from django.db import transaction

from core.ids import new_id
from core.instants import today_in
from ledger.errors import InsufficientBalance
from merchants.callers import Caller
from merchants.models import Merchant
from merchants.services import Registration, create_merchant
from payments.confirming import confirm_payment
from payments.drafts import PaymentDraft, items_sum
from payments.errors import PaymentExpired, PaymentNotCompleted
from payments.modes import LIFETIME, PaymentMode
from payments.services import create_payment
from payouts.models import Payout
from payouts.sending import ACTOR as SENDER
from payouts.services import mark_sent, record_paid, request_payout
from payouts.statuses import OUTGOING, PayoutStatus
from refunds.services import RefundDraft, create_refund
from sandbox.simulating import PlayedOutcome, simulate_payment

SLUG = "reef-bakery"
SEED = 1
DAYS = 30
OPENS, OPEN_SECONDS = 11, 12 * 3_600  # 11:00 UTC is 7:00 at the shop, in summer
BATCH = 20
GOODS = [("Johnny cake", 350), ("Guava duff", 650), ("Coconut bread", 900), ("Flat white", 450)]
PHONES = [f"+1242357{number:04d}" for number in range(60)]
# How many in a thousand sales end in another way than paid.
OTHERWISE = {PlayedOutcome.DECLINED: 30, PlayedOutcome.CANCELED: 40, PlayedOutcome.EXPIRED: 40}
REFUNDED = 40  # in a thousand paid ones
PAYOUT_DAYS = (22, 15, 8, 1)  # days ago
SENT_AFTER = timedelta(minutes=5)  # each day, what has become due leaves or arrives


@dataclass(frozen=True)
class PlannedSale:
    """A sale to be made, and how it ends."""

    at: datetime
    draft: PaymentDraft
    phone: str
    outcome: PlayedOutcome
    takes: timedelta
    refund: RefundDraft | None
    refunded_after: timedelta


@dataclass(frozen=True)
class Act:
    """One action and the time at which it happens."""

    at: datetime
    do: Callable[[datetime], object]


@dataclass(frozen=True)
class Month:
    """The result; the secrets in the registration are only available now."""

    registration: Registration
    sales: int


def fill_month(
    *, size: int, currency: str, progress: Callable[[int, int], None], now: datetime
) -> Month | None:
    """Register a shop a month ago and make `size` sales; None if it already exists.

    Commits in short batches, so as not to hold up a running service; `progress` is called with the
    number of acts done, and their total. What that service expires between two batches, for which
    the month is over, stays expired.
    """
    if Merchant.objects.filter(slug=SLUG).exists():
        return None
    opened_at = now - timedelta(days=DAYS + 1)
    registration = create_merchant(
        name="Reef Bakery",
        slug=SLUG,
        email="owner@example.com",
        category="restaurant",
        brand_color="#8a4b08",
        fee_basis_points=150,
        now=opened_at,
    )
    caller = Caller(registration.merchant, livemode=False, actor="system:sandbox.shop_month")
    acts = _acts(caller, _sales(size, currency, now), currency, now)
    acts += _days_at_the_bank(registration.merchant, now)
    _do(sorted(acts, key=lambda act: act.at), progress)
    return Month(registration, size)


def _do(acts: Sequence[Act], progress: Callable[[int, int], None]) -> None:
    for start in range(0, len(acts), BATCH):
        batch = acts[start : start + BATCH]
        with transaction.atomic():
            for act in batch:
                act.do(act.at)
        progress(start + len(batch), len(acts))


def _sales(size: int, currency: str, now: datetime) -> list[PlannedSale]:
    chance = Random(SEED)  # noqa: S311  # a plan, and no secret
    return [_sale(number, chance, currency, now) for number in range(1, size + 1)]


def _sale(number: int, chance: Random, currency: str, now: datetime) -> PlannedSale:
    day = (now - timedelta(days=chance.randint(1, DAYS))).replace(hour=OPENS, minute=0)
    draft = _draft(number, chance, currency)
    outcomes = [PlayedOutcome.PAID, *OTHERWISE]
    weights = [1_000 - sum(OTHERWISE.values()), *OTHERWISE.values()]
    [outcome] = chance.choices(outcomes, weights)
    is_refunded = outcome == PlayedOutcome.PAID and chance.randrange(1_000) < REFUNDED
    is_left = outcome == PlayedOutcome.EXPIRED
    part = (draft.amount or 0) // 2 if chance.random() < 0.5 else None
    return PlannedSale(
        at=day + timedelta(seconds=chance.randrange(OPEN_SECONDS), milliseconds=number % 1_000),
        draft=draft,
        phone=chance.choice(PHONES),
        outcome=outcome,
        takes=LIFETIME if is_left else timedelta(seconds=chance.randint(8, 180)),
        refund=RefundDraft(amount=part, reason="returned") if is_refunded else None,
        refunded_after=timedelta(hours=chance.randint(1, 20)),
    )


def _draft(number: int, chance: Random, currency: str) -> PaymentDraft:
    basket = chance.sample(GOODS, chance.randint(1, 3))
    items: list[dict[str, Any]] = [
        {"name": name, "quantity": chance.randint(1, 4), "price": price} for name, price in basket
    ]
    plain = PaymentDraft(currency, amount=items_sum(items), description=basket[0][0])
    match chance.randrange(4):
        case 0:
            return replace(
                plain, payment_mode=PaymentMode.REFERENCE_PAY, reference=f"TABLE-{number % 12 + 1}"
            )
        case 1:
            return plain
        case _:
            order = f"R-{1_000 + number}"
            return replace(
                plain, payment_mode=PaymentMode.ORDER_PAY, order_id=order, line_items=items
            )


def _acts(caller: Caller, sales: Sequence[PlannedSale], currency: str, now: datetime) -> list[Act]:
    """Return the acts up to now."""

    def pay_out(at: datetime) -> None:
        with suppress(InsufficientBalance):
            request_payout(caller=caller, currency=currency, amount=None, description="", now=at)

    acts = [act for sale in sales for act in _acts_of(caller, sale)]
    acts += [Act(now - timedelta(days=days), pay_out) for days in PAYOUT_DAYS]
    return [act for act in acts if act.at < now]


def _days_at_the_bank(merchant: Merchant, now: datetime) -> list[Act]:
    begun, move = now + SENT_AFTER, partial(_move, merchant)
    return [Act(begun - timedelta(days=days), move) for days in range(1, DAYS)]


def _move(merchant: Merchant, now: datetime) -> None:
    """Send the shop's payouts whose day has come, and let those due at the bank arrive."""
    today = today_in(merchant.time_zone, now)
    for payout in Payout.objects.filter(merchant=merchant, status__in=OUTGOING):
        if payout.status == PayoutStatus.SCHEDULED and payout.send_date <= today:
            mark_sent(payout_id=payout.pk, actor=SENDER, now=now)
        elif payout.status == PayoutStatus.IN_TRANSIT and payout.arrival_date <= today:
            record_paid(payout_id=payout.pk, actor=SENDER, now=now, bank_reference="test")


def _acts_of(caller: Caller, sale: PlannedSale) -> Iterator[Act]:
    payment_id = new_id("pay", sale.at)

    def sell(now: datetime) -> object:
        return create_payment(caller=caller, payment_id=payment_id, draft=sale.draft, now=now)

    def end(now: datetime) -> None:
        with suppress(PaymentExpired):
            if sale.outcome == PlayedOutcome.PAID:
                confirm_payment(
                    caller=caller, payment_id=payment_id, phone=sale.phone, amount=None, now=now
                )
            else:
                simulate_payment(
                    caller=caller, payment_id=payment_id, outcome=sale.outcome, amount=None, now=now
                )

    def give_back(draft: RefundDraft, now: datetime) -> None:
        with suppress(PaymentNotCompleted):
            create_refund(caller=caller, payment_id=payment_id, draft=draft, now=now)

    yield Act(sale.at, sell)
    ended_at = sale.at + sale.takes
    yield Act(ended_at, end)
    if draft := sale.refund:
        yield Act(ended_at + sale.refunded_after, partial(give_back, draft))
