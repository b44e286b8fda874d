"""What a page shows of a payment: the bill, ready to be written down."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Payee:
    """A merchant as customers see it."""

    name: str
    brand_color: str = ""
    logo: str = ""
    support_email: str = ""

    @property
    def initials(self) -> str:
        words = [word for word in self.name.split() if word[0].isalnum()]
        return "".join(word[0] for word in words[:2]).upper() or "•"


@dataclass(frozen=True)
class Item:
    """One line of an order; `amount` is quantity times price."""

    name: str
    quantity: int
    amount: int


@dataclass(frozen=True)
class Bill:
    """A payment as the checkout's pages show it. Amounts are in the smallest unit."""

    id: str
    payee: Payee
    amount: int | None
    currency: str
    description: str = ""
    zone: str = "America/Nassau"
    address: str = ""
    expires_at: datetime | None = None
    until: str = ""
    left: str = ""
    items: tuple[Item, ...] = ()
    difference: int = 0
    difference_name: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    version: str = ""
    payable: bool = True
    cancelable: bool = False
    cancel_host: str = ""
    success_address: str = ""
    success_host: str = ""
    transaction_id: str = ""
    completed_at: datetime | None = None
    amount_refunded: int = 0
    payer: str = ""
    refunds: tuple[object, ...] = field(default=())

    @property
    def is_long(self) -> bool:
        return self.amount is not None and self.amount >= 10_000_000
