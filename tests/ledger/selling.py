"""The rules of the state machine that sell: payments of all modes, links, customers, the clock."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import chain

from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    initialize,
    multiple,
    rule,
)

from core.errors import ApiError
from core.ids import new_id
from customers.models import Customer
from customers.services import top_up
from ledger.models import Account
from links.services import LinkDraft, create_link, deactivate_link, open_link
from merchants.callers import Caller
from payments.confirming import confirm_payment
from payments.counters import pay_at_counter
from payments.customer_steps import (
    ask_for_proof,
    cancel_by_customer,
    return_to_review,
    start_payment,
)
from payments.drafts import PaymentDraft
from payments.failures import PIN_LOCKED
from payments.models import Payment
from payments.modes import PaymentMode
from payments.paying import fail_payment, lock_payable, pay, pay_locked
from payments.services import cancel_payment, create_payment, open_payment
from payments.verification import Verification
from tests.ledger.shadow.records import OK, Link, Sale, ShadowShop
from tests.ledger.shadow.returns import Shadow
from tests.ledger.shadow.sales import STEPS

START = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
MILLISECOND, DAY = timedelta(milliseconds=1), timedelta(days=1)
SECONDS = (31, 31, 3_600, 86_400, 86_400 * 30)
ACTOR = "system:test"

amounts = st.sampled_from([1, 2, 3, 99, 100, 200, 201, 333, 1_250, 5_000, 5_001, 6_000_000])
maybe_amounts = st.none() | amounts
modes = st.sampled_from([mode for mode in PaymentMode if mode != PaymentMode.STATIC_PAY])
indexes = st.integers(0, 7)

CUSTOMER_ACTS = {
    act.__name__: act
    for act in (start_payment, ask_for_proof, return_to_review, cancel_by_customer)
}

Payers = dict[ShadowShop, list[Customer]]


@contextmanager
def answered(code: str) -> Iterator[None]:
    """Expect this refusal, or none; a refusal undoes what was begun."""
    with told(code), transaction.atomic():
        yield


@contextmanager
def told(code: str) -> Iterator[None]:
    """Expect this refusal, or none, of what decides by itself what is kept."""
    found = OK
    try:
        yield
    except ApiError as error:
        found = error.code
    assert found == code


class Selling(RuleBasedStateMachine):
    sales: Bundle[Sale] = Bundle("sales")
    paid: Bundle[Sale] = Bundle("paid")
    links: Bundle[Link] = Bundle("links")

    def __init__(self, shops: list[ShadowShop], customers: Payers, sold: list[Payment]) -> None:
        super().__init__()
        self.shops, self.customers, self.shadow = shops, customers, Shadow(START)
        self.sold_before = [self.remembered(payment) for payment in sold]
        for customer in set(chain.from_iterable(customers.values())):
            held = Account.objects.filter(owner=customer.id).values_list("balance", flat=True)
            place = (customer.id, "wallet", customer.livemode)
            self.shadow.top_up(customer, sum(held) - self.shadow.money[place])
        self.block = transaction.atomic()
        self.block.__enter__()

    def remembered(self, payment: Payment) -> Sale:
        """Take what was paid before the first step into the shadow's books."""
        payer = payment.paying_customer
        [shop] = [
            shop
            for shop in self.shops
            if (shop.merchant.id, shop.livemode) == (payment.merchant_id, payment.livemode)
        ]
        sale = self.known(payment, shop)
        self.shadow.top_up(payer, sale.price)
        assert self.shadow.pay(sale, payer, int(Verification.PASSKEY)) == OK
        return sale

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.block.__exit__(None, None, None)

    def tick(self) -> datetime:
        """No two things happen at the same instant."""
        self.shadow.now += MILLISECOND
        return self.shadow.now

    def shop(self, index: int) -> ShadowShop:
        return self.shops[index % len(self.shops)]

    def caller(self, shop: ShadowShop) -> Caller:
        return Caller(shop.merchant, livemode=shop.livemode, actor="key:test")

    def customer(self, shop: ShadowShop, index: int) -> Customer:
        customers = self.customers[shop]
        return customers[index % len(customers)]

    def tested(self, shop: ShadowShop) -> ShadowShop:
        """Return the shop, or of one in live mode another: confirm knows test customers only."""
        return self.shops[0] if shop.livemode else shop

    def known(self, payment: Payment, shop: ShadowShop, link: Link | None = None) -> Sale:
        """Take a payment that was just created into the shadow's books."""
        sale = Sale(payment.id, shop, payment.amount, payment.expires_at, payment.is_counter, link)
        return self.shadow.add(sale)

    @rule(target=sales, place=indexes, mode=modes, amount=amounts)
    def create(self, place: int, mode: PaymentMode, amount: int) -> Sale:
        return self.open(self.shop(place), mode, amount)

    @rule(target=sales, place=indexes, amount=maybe_amounts)
    def create_counter(self, place: int, amount: int | None) -> Sale:
        return self.open(self.shop(place), PaymentMode.STATIC_PAY, amount)

    @initialize(target=paid)
    def begin(self) -> MultipleResults[Sale]:
        """There is something to give back and to pay out from the start."""
        return multiple(*self.sold_before)

    @rule(target=paid, place=indexes, amount=amounts, payer=indexes)
    def sell(self, place: int, amount: int, payer: int) -> Sale:
        sale = self.open(self.shop(place), PaymentMode.DYNAMIC_PAY, amount)
        self.pay_at_page(sale, payer, Verification.PASSKEY)
        return sale

    def open(self, shop: ShadowShop, mode: PaymentMode, amount: int | None) -> Sale:
        at = self.tick()
        draft = PaymentDraft("BSD", mode, amount=amount)
        payment_id = new_id("pay", at)
        made = create_payment(caller=self.caller(shop), payment_id=payment_id, draft=draft, now=at)
        return self.known(made, shop)

    @rule(target=sales, counter=sales, amount=maybe_amounts)
    def start_at_counter(self, counter: Sale, amount: int | None) -> MultipleResults[Sale] | Sale:
        at, payment_id = self.tick(), new_id("pay", self.shadow.now)
        if not counter.is_counter:
            return multiple()
        refused = self.shadow.refusal_at_counter(counter, amount)
        with answered(refused):
            made = pay_at_counter(
                counter_id=counter.id, payment_id=payment_id, amount=amount, now=at
            )
        return multiple() if refused else self.known(made, counter.shop)

    @rule(target=paid, sale=sales, payer=indexes, amount=st.none() | maybe_amounts)
    def confirm(self, sale: Sale, payer: int, amount: int | None) -> MultipleResults[Sale] | Sale:
        at, customer = self.tick(), self.customer(self.tested(sale.shop), payer)
        paid, refused = self.shadow.confirm(sale, customer, amount)
        with answered(refused):
            made = confirm_payment(
                caller=self.caller(sale.shop),
                payment_id=sale.id,
                phone=customer.phone,
                amount=amount,
                now=at,
            )
        if refused or paid is sale:
            return multiple()
        paid.id = made.id
        return self.shadow.add(paid)

    @rule(sale=sales | paid, payer=indexes, verified=st.sampled_from(Verification))
    def pay(self, sale: Sale, payer: int, verified: Verification) -> None:
        """As money that has come pays by itself."""
        at, customer = self.tick(), self.customer(sale.shop, payer)
        with answered(self.shadow.pay(sale, customer, int(verified))), transaction.atomic():
            payment = lock_payable(sale.id, at)
            pay_locked(payment, customer=customer, verified=verified, actor=ACTOR, now=at)

    @rule(sale=sales | paid, payer=indexes, verified=st.sampled_from(Verification))
    def pay_at_page(self, sale: Sale, payer: int, verified: Verification) -> None:
        at, customer = self.tick(), self.customer(sale.shop, payer)
        with told(self.shadow.pay_at_page(sale, customer, int(verified))):
            pay(payment_id=sale.id, customer=customer, verified=verified, actor=ACTOR, now=at)

    @rule(sale=sales, act=st.sampled_from(sorted(STEPS)))
    def step(self, sale: Sale, act: str) -> None:
        at = self.tick()
        with answered(self.shadow.step(sale, act)):
            if act == "cancel_payment":
                cancel_payment(caller=self.caller(sale.shop), payment_id=sale.id, now=at)
            elif act == "fail_payment":
                fail_payment(payment_id=sale.id, failure=PIN_LOCKED, actor=ACTOR, now=at)
            else:
                CUSTOMER_ACTS[act](payment_id=sale.id, actor=ACTOR, now=at)

    @rule(
        target=links,
        place=indexes,
        amount=maybe_amounts,
        most=st.sampled_from([None, 1, 2]),
        days=st.sampled_from([None, 1]),
    )
    def create_link(
        self, place: int, amount: int | None, most: int | None, days: int | None
    ) -> Link:
        at, shop = self.tick(), self.shop(place)
        ends = None if days is None else at + days * DAY
        draft = LinkDraft(currency="BSD", amount=amount, max_uses=most, expires_at=ends)
        made = create_link(caller=self.caller(shop), draft=draft, now=at)
        return self.shadow.add_link(Link(made.id, shop, amount, most, ends))

    @rule(target=sales, link=links, amount=amounts)
    def start_through_link(self, link: Link, amount: int) -> MultipleResults[Sale] | Sale:
        at, refused = self.tick(), self.shadow.link_refusal(link)
        with answered(refused):
            opened = open_link(link.id, now=at)
        if refused:
            return multiple()
        made = open_payment(
            merchant=opened.merchant,
            livemode=opened.livemode,
            payment_id=new_id("pay", at),
            draft=PaymentDraft("BSD", amount=opened.amount or amount),
            now=at,
            link_id=link.id,
        )
        return self.known(made, link.shop, link)

    @rule(link=links)
    def deactivate(self, link: Link) -> None:
        at = self.tick()
        with answered(self.shadow.deactivate(link)):
            deactivate_link(caller=self.caller(link.shop), link_id=link.id, now=at)

    @rule(place=indexes, payer=indexes, amount=amounts)
    def top_up(self, place: int, payer: int, amount: int) -> None:
        at, customer = self.tick(), self.customer(self.shop(place), payer)
        self.shadow.top_up(customer, amount)
        top_up(customer=customer, amount=amount, currency="BSD", now=at)

    @rule(seconds=st.sampled_from(SECONDS))
    def wait(self, seconds: int) -> None:
        self.shadow.now += timedelta(seconds=seconds)
