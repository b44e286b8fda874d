"""Paying, refunding, sealing, reading and verifying at once: the books balance at every moment."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from random import Random

import pytest
from django.db import connections, transaction
from django.db.models import Min, Sum

from ledger.errors import InsufficientBalance
from ledger.models import Account, Purpose, TransferKind, UnsealedTransfer, exact_balance
from ledger.sealing import seal_transfers
from ledger.services import Movement, post_transfers
from tests.ledger.funding import NOW, opened, problems
from tests.races import at_once

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


class Bank:
    """Threads that pay, refund, seal, read and verify, until the rounds are done."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.wallets = [opened(Purpose.WALLET, f"cus_{n}", holding=500) for n in range(4)]
        self.merchants = [opened(Purpose.MERCHANT, f"mer_{n}") for n in range(2)]
        self.fees = opened(Purpose.FEES)
        self.references = count(1)
        self.done = threading.Event()
        self.seen: list[tuple[int, int]] = []

    def trade(self, seed: int) -> None:
        random = Random(seed)
        for _ in range(self.rounds):
            with suppress(InsufficientBalance):
                self.pay_or_refund(random)

    def pay_or_refund(self, random: Random) -> None:
        wallet, merchant = random.choice(self.wallets), random.choice(self.merchants)
        amount, number = random.randint(1, 200), next(self.references)
        if random.random() < 0.5:
            legs = [
                (TransferKind.PAYMENT, wallet, merchant, amount),
                (TransferKind.FEE, merchant, self.fees, 1),
            ]
        else:
            legs = [
                (TransferKind.REFUND, merchant, wallet, amount),
                (TransferKind.REFUND_FEE, self.fees, merchant, 1),
            ]
        movements = [
            Movement(kind=kind, reference=f"ref_{number}", debit=debit, credit=credit, amount=cents)
            for kind, debit, credit, cents in legs
        ]
        with transaction.atomic():
            post_transfers(transaction_id=f"txn_{number}", movements=movements, now=NOW)

    def repeat(self, work: Callable[[], object]) -> None:
        while not self.done.wait(0.01):
            work()

    def look(self) -> None:
        accounts = Account.objects.annotate(exact=exact_balance())
        held = accounts.exclude(purpose=Purpose.FUNDING).aggregate(low=Min("exact"))
        total = accounts.aggregate(total=Sum("exact"))
        self.seen.append((total["total"], min(0, held["low"])))

    def prove(self) -> None:
        assert problems() == []


@pytest.mark.night_on_sqlite("its writers queue: by day they run side by side on PostgreSQL")
def test_books_balance_at_every_moment_of_a_busy_day() -> None:
    bank = Bank(rounds=60)
    helpers = [bank.look, bank.prove, *[lambda: seal_transfers(now=NOW, limit=7)] * 2]
    failures: list[BaseException] = []

    def keep(work: Callable[[], object]) -> None:
        try:
            bank.repeat(work)
        except BaseException as failure:
            failures.append(failure)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=keep, args=(work,)) for work in helpers]
    for thread in threads:
        thread.start()
    outcomes = at_once([partial(bank.trade, seed) for seed in range(6)])
    bank.done.set()
    for thread in threads:
        thread.join(30)

    assert outcomes == [None] * 6
    assert failures == []
    assert set(bank.seen) == {(0, 0)}
    while seal_transfers(now=NOW):
        pass
    assert UnsealedTransfer.objects.count() == 0
    assert problems() == []
