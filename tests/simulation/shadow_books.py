"""Where each cent has to be: plain dictionaries and integers, nothing of the service."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction

HOUSE = "house"
MINIMUM = 100
Spot = tuple[str, str, str]  # owner, purpose, currency


def half_up_share(amount: int, part: int, whole: int) -> int:
    return int(Fraction(amount * part, whole) + Fraction(1, 2))


@dataclass
class BookedShop:
    """A merchant. `accounts` are the bank accounts, by currency; none where it was closed."""

    id: str
    basis_points: int
    daily: bool
    accounts: dict[str, str]
    suspended: bool = False


@dataclass
class BookedSale:
    id: str
    shop: str
    payer: str
    amount: int
    currency: str
    fee: int
    refunded: int = 0
    waiting: int = 0

    @property
    def left(self) -> int:
        return self.amount - self.refunded - self.waiting

    def fee_back(self, amount: int) -> int:
        after = half_up_share(self.fee, self.refunded + amount, self.amount)
        return after - half_up_share(self.fee, self.refunded, self.amount)


@dataclass
class BookedRefund:
    id: str
    sale: str
    amount: int
    status: str = "pending"


@dataclass
class BookedPayout:
    """`account` is that of the bank it goes to, `reference` what the bank knows it by."""

    id: str
    shop: str
    currency: str
    amount: int
    account: str
    since: datetime
    status: str = "scheduled"
    reference: str = ""


@dataclass
class ShadowBooks:
    money: Counter[Spot] = field(default_factory=Counter)
    shops: dict[str, BookedShop] = field(default_factory=dict)
    sales: dict[str, BookedSale] = field(default_factory=dict)
    refunds: dict[str, BookedRefund] = field(default_factory=dict)
    payouts: dict[str, BookedPayout] = field(default_factory=dict)
    scheduled_on: set[tuple[str, str, date]] = field(default_factory=set)
    payable_since: dict[tuple[str, str], datetime] = field(default_factory=dict)
    top_ups: set[str] = field(default_factory=set)
    mistaken: set[str] = field(default_factory=set)  # payouts that were matched with other money

    def move(self, debit: Spot, credit: Spot, amount: int) -> None:
        self.money[debit] -= amount
        self.money[credit] += amount

    def top_up(self, customer: str, currency: str, amount: int) -> None:
        self.move((HOUSE, "funding", currency), (customer, "wallet", currency), amount)

    def refusal_to_pay(self, shop: str, customer: str, currency: str, amount: int) -> str:
        if self.shops[shop].suspended:
            return "MERCHANT_INACTIVE"
        if self.money[customer, "wallet", currency] < amount:
            return "INSUFFICIENT_BALANCE"
        return ""

    def pay(self, sale: BookedSale) -> None:
        self.sales[sale.id] = sale
        balance = (sale.shop, "merchant", sale.currency)
        self.move((sale.payer, "wallet", sale.currency), balance, sale.amount)
        self.move(balance, (sale.shop, "fees", sale.currency), sale.fee)

    def is_covered(self, sale: BookedSale, amount: int) -> bool:
        held = self.money[sale.shop, "merchant", sale.currency]
        return held + sale.fee_back(amount) >= amount

    def refund(self, refund: BookedRefund) -> None:
        sale = self.sales[refund.sale]
        self.refunds[refund.id] = refund
        sale.waiting += refund.amount
        if self.is_covered(sale, refund.amount):
            self.settle_refund(refund)

    def settle_refund(self, refund: BookedRefund) -> None:
        sale = self.sales[refund.sale]
        assert self.is_covered(sale, refund.amount), f"{refund.id} was paid without cover"
        balance = (sale.shop, "merchant", sale.currency)
        self.move((sale.shop, "fees", sale.currency), balance, sale.fee_back(refund.amount))
        self.move(balance, (sale.payer, "wallet", sale.currency), refund.amount)
        sale.waiting -= refund.amount
        sale.refunded += refund.amount
        refund.status = "succeeded"

    def fail_refund(self, refund: BookedRefund) -> None:
        self.sales[refund.sale].waiting -= refund.amount
        refund.status = "failed"

    def pending_refunds(self) -> Iterator[BookedRefund]:
        return (refund for refund in self.refunds.values() if refund.status == "pending")

    def available(self, shop: str, currency: str) -> int:
        """What can be paid out: what waits to go back to customers is kept."""
        kept = 0
        for refund in self.pending_refunds():
            sale = self.sales[refund.sale]
            if (sale.shop, sale.currency) == (shop, currency):
                kept += refund.amount
        return self.money[shop, "merchant", currency] - kept

    def refusal_to_pay_out(self, shop: str, currency: str, amount: int | None) -> bool:
        free, least = self.available(shop, currency), amount or MINIMUM
        return currency not in self.shops[shop].accounts or least < MINIMUM or free < least

    def pay_out(self, payout: BookedPayout) -> None:
        self.payouts[payout.id] = payout
        balance = (payout.shop, "merchant", payout.currency)
        self.move(balance, (payout.shop, "payouts", payout.currency), payout.amount)
        assert self.money[balance] >= 0, f"{payout.id} is of more than there was"

    def end_payout(self, payout: BookedPayout, status: str) -> None:
        """Move the money of a payout to where its new status says that it is."""
        held = (payout.shop, "payouts", payout.currency)
        bank = (HOUSE, "bank", payout.currency)
        balance = (payout.shop, "merchant", payout.currency)
        if status in ("paid", "returned") and payout.status in ("scheduled", "in_transit"):
            self.move(held, bank, payout.amount)
        if status == "returned":
            self.move(bank, balance, payout.amount)
        if status in ("failed", "canceled"):
            self.move(held, balance, payout.amount)
        payout.status = status

    def can_leave(self, payout: BookedPayout) -> bool:
        return payout.status == "scheduled" and not self.shops[payout.shop].suspended

    def is_closed(self, payout: BookedPayout) -> bool:
        return self.shops[payout.shop].accounts.get(payout.currency) != payout.account
