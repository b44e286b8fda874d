"""The magic phones of test mode, and the outcome of each. Pages and the reference list them."""

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from core.durations import in_words

if TYPE_CHECKING:
    from customers.models import Customer

SLOW_SETTLEMENT = timedelta(seconds=30)


class Behaviour(StrEnum):
    """The outcome that a test customer's phone selects. A live customer is always NORMAL."""

    NORMAL = "works"
    INSUFFICIENT_BALANCE = "has too little money"
    WRONG_PIN = "every PIN is wrong"
    DECLINED = "is declined"
    SLOW = f"stays in processing for {in_words(SLOW_SETTLEMENT)}"
    REFUNDS_FAIL = "works, but its refunds fail"
    PIN_LOCKED = "the PIN is locked"
    COUNTED = "is asked for more proof after several payments at the checkout"
    EMPTY_WALLET = "has too little money until some is added at the checkout"


MAGIC_PHONES = {
    "+12425550100": Behaviour.NORMAL,
    "+12425550101": Behaviour.INSUFFICIENT_BALANCE,
    "+12425550102": Behaviour.WRONG_PIN,
    "+12425550103": Behaviour.DECLINED,
    "+12425550104": Behaviour.SLOW,
    "+12425550105": Behaviour.REFUNDS_FAIL,
    "+12425550106": Behaviour.PIN_LOCKED,
    "+12425550107": Behaviour.COUNTED,
    "+12425550108": Behaviour.EMPTY_WALLET,
}
WORKING_PHONE = "+12425550100"
# Their wallets are not filled automatically.
POOR = frozenset({Behaviour.INSUFFICIENT_BALANCE, Behaviour.EMPTY_WALLET})
POOR_PHONES = [phone for phone, does in MAGIC_PHONES.items() if does in POOR]


def phone_with(behaviour: Behaviour) -> str:
    """Return the phone that selects an outcome."""
    return next(phone for phone, does in MAGIC_PHONES.items() if does == behaviour)


def behaviour_of(customer: "Customer") -> Behaviour:
    """Return the outcome that this customer's phone selects."""
    if customer.livemode:
        return Behaviour.NORMAL
    return MAGIC_PHONES.get(customer.phone, Behaviour.NORMAL)


def is_protected(customer: "Customer") -> bool:
    """Return whether risk rules apply: to a live customer, or the phone that demonstrates them."""
    return customer.livemode or behaviour_of(customer) == Behaviour.COUNTED
