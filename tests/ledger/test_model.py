"""Random postings and sealings against a dictionary that does the same without a database."""

from collections import Counter
from dataclasses import dataclass
from itertools import count

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import InsufficientBalance
from ledger.integrity import verify
from ledger.models import Account, Purpose, TransferKind
from ledger.sealing import seal_transfers
from ledger.services import Movement, account_for, balance_of, post_transfers
from tests.ledger.funding import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.fuzz]

OWNERS = (
    ("house", Purpose.FUNDING),
    ("cus_1", Purpose.WALLET),
    ("cus_2", Purpose.WALLET),
    ("mer_1", Purpose.FEES),
    ("mer_1", Purpose.MERCHANT),
    ("mer_1", Purpose.PAYOUTS),
    ("mer_2", Purpose.MERCHANT),
)
FUNDING = 0


@dataclass(frozen=True)
class SealRow:
    limit: int


Leg = tuple[int, int, int]  # from, to, amount
places = st.integers(0, len(OWNERS) - 1)
legs = st.tuples(places, places, st.integers(1, 100)).filter(lambda leg: leg[0] != leg[1])
# Money comes in half of the time: otherwise most of the rest would be refused.
top_ups = st.tuples(st.just(FUNDING), st.integers(1, len(OWNERS) - 1), st.integers(1, 100))
posts = st.lists(top_ups | legs, min_size=1, max_size=4)
steps = st.lists(posts | st.builds(SealRow, st.integers(1, 5)), max_size=15)


def expected(before: Counter[int], movements: list[Leg]) -> Counter[int] | None:
    """Return the balances afterwards; None where an account but funding would go below zero."""
    after = Counter(before)
    for debit, credit, amount in movements:
        after[debit] -= amount
        after[credit] += amount
        if debit != FUNDING and after[debit] < 0:
            return None
    return after


class System:
    def __init__(self) -> None:
        self.references = count(1)
        self.accounts: list[Account] = [
            account_for(owner=owner, purpose=purpose, currency="BSD", livemode=False)
            for owner, purpose in OWNERS
        ]

    def post_transfers(self, movements: list[Leg]) -> bool:
        number = next(self.references)
        try:
            post_transfers(
                transaction_id=f"txn_{number}",
                movements=[
                    Movement(
                        kind=TransferKind.ADJUSTMENT,
                        reference=f"adj_{number}_{place}",
                        debit=self.accounts[debit],
                        credit=self.accounts[credit],
                        amount=amount,
                    )
                    for place, (debit, credit, amount) in enumerate(movements)
                ],
                now=NOW,
            )
        except InsufficientBalance:
            return False
        return True

    def balances(self) -> list[int]:
        return [balance_of(account) for account in self.accounts]


@pytest.mark.night_on_postgres("by day sequences of `test_machine.py` do as much there")
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps)
def test_the_ledger_does_what_a_dictionary_would(
    db: None, steps: list[list[Leg] | SealRow]
) -> None:
    with transaction.atomic():
        system, model = System(), Counter[int]()
        for step in steps:
            if isinstance(step, SealRow):
                seal_transfers(now=NOW, limit=step.limit)
            else:
                after = expected(model, step)
                assert system.post_transfers(step) is (after is not None)
                model = model if after is None else after
            assert system.balances() == [model[place] for place in range(len(OWNERS))]
        assert list(verify(progress=lambda done, total: None)) == []
        transaction.set_rollback(True)
