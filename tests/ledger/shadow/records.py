"""Everything there is in the shadow."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction

from customers.models import Customer
from merchants.models import Merchant

POOR, WRONG_PIN, DECLINED, SLOW, REFUNDS_FAIL, PIN_LOCKED = (
    f"+1242555010{digit}" for digit in range(1, 7)
)
OPEN = ("created", "pending", "requires_action")
REFUSED = {
    "created": "PAYMENT_NOT_COMPLETED",
    "pending": "PAYMENT_IN_PROGRESS",
    "requires_action": "PAYMENT_IN_PROGRESS",
    "processing": "PAYMENT_IN_PROGRESS",
    "completed": "PAYMENT_ALREADY_COMPLETED",
    "failed": "PAYMENT_FAILED",
    "expired": "PAYMENT_EXPIRED",
    "canceled": "PAYMENT_CANCELED",
}
OK = ""
Place = tuple[str, str, bool]  # owner, purpose, mode


def half_up(exact: Fraction) -> int:
    return int(exact + Fraction(1, 2))


@dataclass(eq=False)
class ShadowShop:
    """A merchant in one mode; its fee in basis points."""

    merchant: Merchant
    livemode: bool

    def place(self, purpose: str) -> Place:
        return (self.merchant.id, purpose, self.livemode)


@dataclass(eq=False)
class Link:
    id: str
    shop: ShadowShop
    amount: int | None
    max_uses: int | None
    expires_at: datetime | None
    status: str = "active"
    uses: int = 0


@dataclass(eq=False)
class Sale:
    id: str
    shop: ShadowShop
    amount: int | None
    expires_at: datetime | None
    is_counter: bool = False
    link: Link | None = None
    status: str = "created"
    payer: Customer | None = None
    settles_at: datetime | None = None
    fee: int = 0
    refunded: int = 0
    waiting: int = 0

    @property
    def price(self) -> int:
        assert self.amount is not None
        return self.amount

    @property
    def wallet(self) -> Place:
        assert self.payer is not None
        return (self.payer.id, "wallet", self.shop.livemode)

    def fee_of(self, refunded: int) -> int:
        """The part of the fee that belongs to so much of the amount."""
        return half_up(Fraction(self.fee * refunded, self.price))


@dataclass(eq=False)
class Return:
    """A refund."""

    sale: Sale
    amount: int
    created_at: datetime
    id: str = ""
    status: str = "pending"


@dataclass(eq=False)
class Transit:
    """A payout."""

    shop: ShadowShop
    amount: int
    id: str = ""
    status: str = "scheduled"


@dataclass
class World:
    """The clock, the money in each place, and how many events of each type were written."""

    now: datetime
    money: Counter[Place] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    sales: list[Sale] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    returns: list[Return] = field(default_factory=list)
    payouts: list[Transit] = field(default_factory=list)

    def move(self, debit: Place, credit: Place, amount: int) -> None:
        self.money[debit] -= amount
        self.money[credit] += amount

    def top_up(self, customer: Customer, amount: int) -> None:
        place = (customer.id, "wallet", customer.livemode)
        self.move(("house", "funding", customer.livemode), place, amount)
