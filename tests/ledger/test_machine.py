"""Any sequence of operations does in the database what it does in the shadow, and is proven."""

import faulthandler
import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    invariant,
    multiple,
    precondition,
    rule,
)
from pytest_django import Settings

import config.settings
from core.ids import new_id
from customers.models import Customer
from customers.services import find_or_create, test_customer, top_up
from ledger.models import Account, Purpose, exact_balance
from ledger.sealing import seal_transfers
from links.expiry import expire_due as expire_links
from links.models import PaymentLink
from links.uses import count_fresh_uses
from merchants.callers import Caller
from payments.drafts import PaymentDraft
from payments.expiry import expire_due, settle_due
from payments.models import Payment
from payments.paying import pay
from payments.services import create_payment
from payments.verification import Verification
from payouts import services as payout_services
from payouts.bank_accounts import open_bank_account
from payouts.gathering import gather_ahead
from payouts.models import Payout
from refunds.models import Refund
from refunds.retrying import retry_pending
from refunds.services import RefundDraft, create_refund, fail_refund
from tests.factories import MerchantFactory
from tests.ledger.funding import problems
from tests.ledger.selling import ACTOR, START, Payers, Selling, answered, indexes, maybe_amounts
from tests.ledger.sequences import LONG, RUNS, clear_away, go
from tests.ledger.shadow.records import Return, Sale, ShadowShop
from tests.ledger.shadow.returns import MOVES
from tests.payouts.conftest import DETAILS
from webhooks.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.fuzz]

TURNS = count(1)
TEST_PHONES = [f"+1242555010{digit}" for digit in range(7)] + ["+12425550177"]
LIVE_PHONES = ["+12423591234", "+12423591235"]
SOLD = [333, 1_250]
LOOKS: dict[str, QuerySet[Any, Any]] = {
    "accounts": Account.objects.annotate(exact=exact_balance()).values_list(
        "owner", "purpose", "livemode", "exact"
    ),
    "payments": Payment.objects.values_list(
        "pk", "status", "fee", "amount_refunded", "amount_refund_pending"
    ),
    "refunds": Refund.objects.values_list("pk", "status"),
    "payouts": Payout.objects.values_list("pk", "status"),
    "links": PaymentLink.objects.values_list("pk", "status"),
}
STATEMENTS: dict[str, tuple[str, tuple[Any, ...]]] = {}

WITH_EFFECT = {
    "expire_due": expire_due,
    "expire_links": expire_links,
    "retry_refunds": retry_pending,
    "settle_due": settle_due,
}
TASKS: dict[str, Callable[..., object]] = {
    **WITH_EFFECT,
    "gather": lambda now: gather_ahead(),
    "count": lambda now: count_fresh_uses(),
    "seal": seal_transfers,
    "seal some": partial(seal_transfers, limit=2),
}


Made = MultipleResults[Return] | Return


class Machine(Selling):
    """Adds the rules by which money goes back, what never moves any, and what is always true."""

    returns: Bundle[Return] = Bundle("returns")

    @rule(
        target=returns,
        sale=Selling.paid | Selling.sales,
        amount=maybe_amounts,
        expected=st.sampled_from([None, None, None, 0, 1_250]),
    )
    def refund(self, sale: Sale, amount: int | None, expected: int | None) -> Made:
        at, refused = self.tick(), self.shadow.refund(sale, amount, expected)
        draft = RefundDraft(amount=amount, expected_available=expected)
        with answered(refused):
            made = create_refund(
                caller=self.caller(sale.shop), payment_id=sale.id, draft=draft, now=at
            )
        if refused:
            return multiple()
        self.shadow.returns[-1].id = made.id
        return self.shadow.returns[-1]

    @rule(target=returns, sale=Selling.paid, parts=st.lists(st.integers(1, 3), max_size=4))
    def refund_in_parts(self, sale: Sale, parts: list[int]) -> MultipleResults[Return]:
        """Each a share of what is left, so that it goes on to the last cent."""
        before = len(self.shadow.returns)
        for part in parts:
            left = (sale.amount or 0) - sale.refunded - sale.waiting
            self.refund(sale, max(1, left // part), None)
        return multiple(*self.shadow.returns[before:])

    @rule(target=returns, sale=Selling.paid)
    def refund_what_is_paid_out(self, sale: Sale) -> Made:
        self.request_payout(self.shops.index(sale.shop), None)
        return self.refund(sale, None, None)

    @rule(made=returns)
    def give_refund_up(self, made: Return) -> None:
        at = self.tick()
        with answered(self.shadow.give_refund_up(made)):
            fail_refund(refund_id=made.id, reason="x", actor="staff:ann", now=at)

    @rule(place=indexes, amount=st.sampled_from([None, None, 99, 100, 1_250]))
    def request_payout(self, place: int, amount: int | None) -> None:
        at, shop = self.tick(), self.shop(place)
        refused = self.shadow.request_payout(shop, amount)
        with answered(refused):
            made = payout_services.request_payout(
                caller=self.caller(shop), currency="BSD", amount=amount, description="", now=at
            )
        if not refused:
            self.shadow.payouts[-1].id = made.id

    @precondition(lambda self: self.shadow.payouts)
    @rule(place=indexes, act=st.sampled_from(sorted(MOVES)))
    def move_payout(self, place: int, act: str) -> None:
        at, payout = self.tick(), self.shadow.payouts[place % len(self.shadow.payouts)]
        options: dict[str, object] = {"payout_id": payout.id, "now": at, "actor": ACTOR}
        if act == "record_failed":
            options |= {"code": "x", "message": "y"}
        if act == "cancel_payout":
            options["caller"] = self.caller(payout.shop)
            del options["actor"]
        with answered(self.shadow.move_payout(payout, act)):
            getattr(payout_services, act)(**options)

    @rule(task=st.sampled_from(sorted(TASKS)))
    def work(self, task: str) -> None:
        """What is done in the background; of most of it, nothing is to be seen in the shadow."""
        at = self.tick()
        if task in WITH_EFFECT:
            getattr(self.shadow, task)()
        TASKS[task](now=at)

    @invariant()
    def statuses_are_those_of_the_shadow(self) -> None:
        for name, records in (
            ("refunds", self.shadow.returns),
            ("payouts", self.shadow.payouts),
            ("links", self.shadow.links),
        ):
            assert set(self.look(name)) == {(record.id, record.status) for record in records}

    @invariant()
    def payments_are_those_of_the_shadow(self) -> None:
        assert set(self.look("payments")) == {
            (
                sale.id,
                sale.status,
                sale.fee if sale.status == "completed" else None,
                sale.refunded,
                sale.waiting,
            )
            for sale in self.shadow.sales
        }

    @invariant()
    def money_is_where_the_shadow_has_it(self) -> None:
        rows = self.look("accounts")
        found = {(owner, purpose, mode): exact for owner, purpose, mode, exact in rows if exact}
        assert found == {place: amount for place, amount in self.shadow.money.items() if amount}
        assert sum(found.values()) == 0
        assert {place[1] for place, amount in found.items() if amount < 0} <= {Purpose.FUNDING}

    def look(self, name: str) -> list[tuple[Any, ...]]:
        """Read a table by its statement, which is compiled once: it runs after every step."""
        if name not in STATEMENTS:
            STATEMENTS[name] = LOOKS[name].query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(*STATEMENTS[name])
            return cursor.fetchall()

    def teardown(self) -> None:
        try:
            assert Counter(Event.objects.values_list("type", flat=True)) == self.shadow.events
            assert {link.pk: link.uses for link in PaymentLink.objects.with_uses()} == {
                link.id: link.uses for link in self.shadow.links
            }
            assert problems() == []
        finally:
            super().teardown()
            clear_away(next(TURNS))


@pytest.fixture(autouse=True)
def _all_checks(_no_other_checks: None, settings: Settings) -> None:
    settings.LEDGER_CHECKS = config.settings.LEDGER_CHECKS


@pytest.fixture
def shops(db: None) -> list[ShadowShop]:
    """One merchant without a fee in both modes, another with one in test mode."""
    free, dear = MerchantFactory.create(), MerchantFactory.create(fee_basis_points=333)
    open_bank_account(
        merchant_id=free.id, livemode=True, details=DETAILS, actor="staff:ann", now=START
    )
    return [ShadowShop(dear, False), ShadowShop(free, False), ShadowShop(free, True)]


@pytest.fixture
def customers(shops: list[ShadowShop]) -> Payers:
    live = [find_or_create(phone=phone, now=START) for phone in LIVE_PHONES]
    for customer in live:
        top_up(customer=customer, amount=10_000, currency="BSD", now=START)
    found = dict.fromkeys(shops, live)
    for shop in (it for it in shops if not it.livemode):
        found[shop] = [test_customer(it, START, merchant_id=shop.merchant.id) for it in TEST_PHONES]
    return found


@pytest.fixture
def sold(shops: list[ShadowShop], customers: Payers) -> list[Payment]:
    """What every sequence begins with: in each shop there is something to give back."""
    return [sell(shop, customers[shop][0], price) for price in SOLD for shop in shops]


def sell(shop: ShadowShop, customer: Customer, amount: int) -> Payment:
    payment = create_payment(
        caller=Caller(shop.merchant, livemode=shop.livemode, actor="key:test"),
        payment_id=new_id("pay", START),
        draft=PaymentDraft("BSD", amount=amount),
        now=START,
    )
    return pay(
        payment_id=payment.id,
        customer=customer,
        verified=Verification.PASSKEY,
        actor=ACTOR,
        now=START,
    )


@pytest.fixture
def run(shops: list[ShadowShop], customers: Payers, sold: list[Payment]) -> Callable[..., None]:
    return partial(go, partial(Machine, shops, customers, sold))


@pytest.mark.night_on_sqlite("by day `test_model.py` plays sequences there")
def test_a_few_sequences(run: Callable[..., None]) -> None:
    run(runs=15, steps=25)


# Each sequence is a transaction of its own here, so that PostgreSQL can clear away what is undone.
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.night("by day a few sequences; `make night` plays two thousand")
def test_many_long_sequences(run: Callable[..., None]) -> None:
    if "MACHINE_RUNS" in os.environ:
        faulthandler.cancel_dump_traceback_later()  # as long as it was asked for

    run(runs=RUNS, steps=LONG)
