"""Payments and links."""

from datetime import timedelta
from fractions import Fraction

from customers.models import Customer
from tests.ledger.shadow.records import (
    DECLINED,
    OK,
    OPEN,
    PIN_LOCKED,
    POOR,
    REFUSED,
    SLOW,
    WRONG_PIN,
    Link,
    Place,
    Sale,
    World,
    half_up,
)

BY_CUSTOMER = ("start_payment", "ask_for_proof", "return_to_review", "cancel_by_customer")
STEPS = {
    "start_payment": {
        "created": "pending",
        "pending": "pending",
        "requires_action": "requires_action",
    },
    "ask_for_proof": dict.fromkeys(OPEN, "requires_action"),
    "return_to_review": {"pending": "pending", "requires_action": "pending"},
    "cancel_by_customer": dict.fromkeys(OPEN, "canceled"),
    "cancel_payment": {"created": "canceled", "pending": "canceled"},
    "fail_payment": {"requires_action": "failed", "processing": "failed"},
}


class Sales(World):
    def status(self, sale: Sale) -> str:
        overdue = sale.expires_at is not None and sale.expires_at <= self.now
        return "expired" if overdue and sale.status in OPEN else sale.status

    def add(self, sale: Sale) -> Sale:
        self.sales.append(sale)
        self.events["payment.created"] += 1
        return sale

    def step(self, sale: Sale, act: str) -> str:
        """What is done to a payment short of paying it, by the name of the service."""
        status = self.status(sale)
        forbidden = sale.is_counter and act in BY_CUSTOMER
        if forbidden or status not in STEPS[act]:
            return REFUSED[status]
        return self._end(sale, STEPS[act][status])

    def refusal_at_counter(self, counter: Sale, amount: int | None) -> str:
        """Whether a payment of this amount can be opened at a counter."""
        if counter.status != "created":
            return REFUSED[counter.status]
        fits = amount is not None if counter.amount is None else amount in (None, counter.amount)
        return OK if fits else "INVALID_AMOUNT"

    def confirm(self, sale: Sale, customer: Customer, amount: int | None) -> tuple[Sale, str]:
        """As a developer does. Returns the sale that is paid: at a counter, one of its own."""
        if sale.shop.livemode:
            return sale, "DEVELOPMENT_ONLY"
        if sale.is_counter:
            if refused := self.refusal_at_counter(sale, amount):
                return sale, refused
            sale = Sale("", sale.shop, amount or sale.amount, self.now + timedelta(days=1))
        elif amount not in (None, sale.amount):
            return sale, "INVALID_AMOUNT"
        if ended := self._refusal_as_it_stands(sale):
            return sale, ended
        before = self.money.copy()
        if customer.phone != POOR:
            self._fill((customer.id, "wallet", False), sale.price)
        if refused := self._confirm(sale, customer):
            self.money = before
        return sale, refused

    def _refusal_as_it_stands(self, sale: Sale) -> str:
        """Why no one can pay it now: its own state first, then that of its link."""
        if self.status(sale) not in OPEN:
            return REFUSED[self.status(sale)]
        return self.link_refusal(sale.link) if sale.link else OK

    def _confirm(self, sale: Sale, customer: Customer) -> str:
        if customer.phone == WRONG_PIN:
            return "INVALID_PIN"
        if customer.phone == PIN_LOCKED:
            return "PIN_LOCKED"
        if customer.phone == POOR:
            return self._end(sale, "failed")
        return self.pay(sale, customer, proved=2)

    def pay(self, sale: Sale, customer: Customer, proved: int) -> str:
        if refused := self._refusal_to_pay(sale, customer, proved):
            return refused
        sale.payer = customer
        if customer.phone == DECLINED:
            return self._end(sale, "failed")
        if customer.phone == SLOW:
            sale.status, sale.settles_at = "processing", self.now + timedelta(seconds=30)
            return OK
        return self._complete(sale)

    def pay_at_page(self, sale: Sale, customer: Customer, proved: int) -> str:
        """As `pay`, but with too little money, or declined, it returns to the review."""
        refused = self._refusal_to_pay(sale, customer, proved)
        if not refused and customer.phone == DECLINED:
            refused = "PAYMENT_FAILED"
        elif refused != "INSUFFICIENT_BALANCE":
            return refused or self.pay(sale, customer, proved)
        sale.status = "pending"
        return refused

    def _refusal_to_pay(self, sale: Sale, customer: Customer, proved: int) -> str:
        status = self.status(sale)
        if sale.is_counter or status not in OPEN:
            return REFUSED[status]
        if sale.link and (ended := self.link_refusal(sale.link)):
            return ended
        if proved < (sale.price > 200) + (sale.price > 5_000):
            return "VERIFICATION_FAILED"
        held = self.money[(customer.id, "wallet", sale.shop.livemode)]
        short = held < sale.price and customer.phone not in (DECLINED, SLOW)
        return "INSUFFICIENT_BALANCE" if short or customer.phone == POOR else OK

    def settle_due(self) -> None:
        for sale in sorted(self.sales, key=lambda sale: sale.settles_at or self.now):
            if sale.settles_at is None or sale.settles_at > self.now:
                continue
            if sale.link and self.link_refusal(sale.link):
                self._end(sale, "failed")
                continue
            self._fill(sale.wallet, sale.price)
            self._complete(sale)

    def _fill(self, wallet: Place, least: int) -> None:
        held = self.money[wallet]
        if held < least:
            self.move(("house", "funding", False), wallet, max(10_000_000, least) - held)

    def expire_due(self) -> None:
        for sale in self.sales:
            if sale.status != self.status(sale):
                self._end(sale, "expired")

    def _complete(self, sale: Sale) -> str:
        balance = sale.shop.place("merchant")
        sale.fee = half_up(Fraction(sale.price * sale.shop.merchant.fee_basis_points, 10_000))
        self.move(sale.wallet, balance, sale.price)
        self.move(balance, sale.shop.place("fees"), sale.fee)
        if sale.link is not None:
            sale.link.uses += 1
            self.events["payment_link.payment.completed"] += 1
            if sale.link.uses == sale.link.max_uses:
                sale.link.status = "used_up"
        return self._end(sale, "completed")

    def _end(self, sale: Sale, status: str) -> str:
        sale.status = status
        if status not in OPEN:
            sale.settles_at = None
            self.events[f"payment.{status}"] += 1
        return OK

    def add_link(self, link: Link) -> Link:
        self.links.append(link)
        self.events["payment_link.created"] += 1
        return link

    def link_refusal(self, link: Link) -> str:
        status = self._link_status(link)
        if status == "active":
            return OK
        return "PAYMENT_LINK_EXPIRED" if status == "expired" else "PAYMENT_LINK_INACTIVE"

    def deactivate(self, link: Link) -> str:
        if refused := self.link_refusal(link):
            return refused
        link.status = "deactivated"
        self.events["payment_link.deactivated"] += 1
        return OK

    def expire_links(self) -> None:
        for link in self.links:
            if link.status != self._link_status(link):
                link.status = "expired"
                self.events["payment_link.expired"] += 1

    def _link_status(self, link: Link) -> str:
        overdue = link.expires_at is not None and link.expires_at <= self.now
        return "expired" if overdue and link.status == "active" else link.status
