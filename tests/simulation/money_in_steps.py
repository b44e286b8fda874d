"""Customers who add money by a transfer, now and then the same sum twice on one day."""

from collections import defaultdict

from funding.errors import FundingLimitReached
from funding.models import TopUp
from funding.services import order_top_up
from payouts.models import BankEntry
from tests.simulation.virtual_weeks import VirtualWeeks

AMOUNTS = (500, 1_250, 20_000)


def add_money(weeks: VirtualWeeks) -> None:
    """A customer asks for a reference, and sends what it is for: once, twice, or not at all."""
    amount = weeks.random.choice(AMOUNTS)
    try:
        top_up = order_top_up(
            customer_id=weeks.random.choice(weeks.customers),
            way="bank_transfer",
            amount=amount,
            currency="BSD",
            now=weeks.tick(),
        )
    except FundingLimitReached:
        return
    times = weeks.random.choice((0, 1, 1, 1, 2))
    named = weeks.random.random() < 0.7
    for _ in range(times):
        weeks.bank.receive(top_up.reference, amount, now=weeks.now, named=named)


def follow_top_ups(weeks: VirtualWeeks) -> None:
    """Take what was credited into the books: once for each reference, and one transfer's money."""
    told: dict[str, list[str]] = defaultdict(list)
    matched = BankEntry.objects.filter(state="matched").exclude(credited_to="")
    for top_up_id, name in matched.values_list("credited_to", "bank_reference"):
        told[top_up_id].append(name)
    for top_up in TopUp.objects.filter(status="succeeded").exclude(pk__in=weeks.books.top_ups):
        sent = weeks.bank.received[top_up.reference]
        assert top_up.amount_received in sent, f"{top_up.pk} was credited, and never sent"
        weeks.books.top_ups.add(top_up.pk)
        weeks.books.top_up(top_up.customer_id, "BSD", top_up.amount_received or 0)
    for top_up_id, names in told.items():
        is_one = len(set(names)) == 1 and (len(names) == 1 or "" not in names)
        assert is_one, f"{top_up_id} was credited once for {len(names)} transfers"
