"""Follow what became of payouts and refunds, and take into the books only what may be."""

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from payouts.models import BankEntry, BankEntryQuerySet, Payout
from payouts.order_references import end_to_end_id
from tests.simulation.shadow_books import MINIMUM, BookedPayout
from tests.simulation.truths import look

if TYPE_CHECKING:
    from tests.simulation.virtual_weeks import VirtualWeeks

NASSAU = ZoneInfo("America/Nassau")
CURRENCIES = ("BSD", "IQD")


def follow_payouts(weeks: "VirtualWeeks") -> None:
    """Take new payouts of the schedule and new statuses into the books."""
    for pk, shop, currency, amount, status, origin, reference in look("payouts"):
        payout = weeks.books.payouts.get(pk)
        if payout is None:
            assert origin == "schedule", f"{pk} was asked for by no one"
            account = _take_schedule(weeks, shop, currency, amount)
            payout = BookedPayout(pk, shop, currency, amount, account, weeks.now)
            weeks.books.pay_out(payout)
        payout.reference = reference or ""
        if payout.status != status:
            _take_status(weeks, payout, status)


def _take_schedule(weeks: "VirtualWeeks", shop_id: str, currency: str, amount: int) -> str:
    shop, day = weeks.books.shops[shop_id], local_day(weeks.now)
    assert shop.daily, f"{shop_id} is paid out by hand"
    assert not shop.suspended, f"{shop_id} is suspended"
    assert (shop_id, currency, day) not in weeks.books.scheduled_on, f"{shop_id}: twice on {day}"
    free = weeks.books.available(shop_id, currency)
    assert amount == free, f"{shop_id} is paid out {amount}, {free} was available"
    weeks.books.scheduled_on.add((shop_id, currency, day))
    return shop.accounts[currency]


def _take_status(weeks: "VirtualWeeks", payout: BookedPayout, status: str) -> None:
    order = weeks.bank.orders.get(payout.reference)
    if status == "in_transit":
        raise AssertionError(f"{payout.id} has left, but no one sent it")
    if status in ("paid", "returned"):
        known = order.status if order else "unknown"
        left = known in ("executed", "returned") or (order is not None and order.strays)
        assert left, f"{payout.id} is {status}; for the bank: {known}"
    if status == "returned":
        assert order, payout
        came_back = order.status == "returned" or (order.strays and not order.is_away)
        assert came_back, f"{payout.id} came back, says no one"
    if status == "failed" and payout.status == "in_transit":
        known = order.status if order else "unknown"
        assert known == "rejected", f"{payout.id} failed; for the bank: {known}"
    elif status in ("failed", "canceled"):
        raise AssertionError(f"{payout.id} is {status}, and no one did it")
    weeks.books.end_payout(payout, status)
    payout.since = weeks.now


def follow_refunds(weeks: "VirtualWeeks") -> None:
    """Take refunds that were settled or given up into the books."""
    found = dict(look("refunds"))
    for refund in list(weeks.books.pending_refunds()):
        status = found[refund.id]
        if status == "succeeded":
            weeks.books.settle_refund(refund)
        elif status == "failed":
            weeks.books.fail_refund(refund)
    for refund in weeks.books.pending_refunds():
        sale = weeks.books.sales[refund.sale]
        assert not weeks.books.is_covered(sale, refund.amount), f"{refund.id} waits, though covered"


def note_payable(weeks: "VirtualWeeks") -> None:
    """Keep since when each shop's money could have been paid out by schedule, and was not."""
    books = weeks.books
    for shop in books.shops.values():
        for currency in CURRENCIES:
            place = (shop.id, currency)
            fit = shop.daily and not shop.suspended and currency in shop.accounts
            if fit and books.available(shop.id, currency) >= MINIMUM:
                books.payable_since.setdefault(place, weeks.now)
            else:
                books.payable_since.pop(place, None)


def can_leave(weeks: "VirtualWeeks", payout: BookedPayout) -> bool:
    """Whether nothing keeps a payout here: its merchant's status, or what the bank says of it."""
    if not weeks.books.can_leave(payout) or is_spoken_of(payout):
        return False
    left = _waiting().filter(kind__in=("debit", "settled"))
    debited = set(left.values_list("end_to_end_id", flat=True))
    place = (payout.shop, payout.currency)
    same = [each for each in weeks.books.payouts.values() if (each.shop, each.currency) == place]
    # What is paid and booked is in no balance, however often the bank tells of it.
    done = Payout.objects.filter(pk__in=[each.id for each in same], status="paid")
    booked = set(done.filter(booked_at__isnull=False).values_list("pk", flat=True))
    return not any(
        each.reference in debited if each.reference else is_spoken_of(each)
        for each in same
        if each.id not in booked
    )


def is_spoken_of(payout: BookedPayout) -> bool:
    """Whether the bank speaks of it in an entry that waits, under the name it would leave with."""
    told = set(_waiting().values_list("end_to_end_id", flat=True))
    found = Payout.objects.select_related("statement").get(pk=payout.id) if told else None
    return found is not None and end_to_end_id(found) in told


def _waiting() -> BankEntryQuerySet:
    return BankEntry.objects.filter(state="unmatched").exclude(end_to_end_id="")


def local_day(now: datetime):
    return now.astimezone(NASSAU).date()
