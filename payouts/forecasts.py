"""Foresee a merchant's next scheduled payouts, by the code that will make them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from ledger.errors import InsufficientBalance
from merchants.models import Merchant
from payouts.balances import MerchantBalances
from payouts.contradictions import contradictions_of
from payouts.models import BankAccount
from payouts.scheduling import next_days
from payouts.services import amount_to_pay


@dataclass(frozen=True)
class Forecast:
    """The next scheduled payout to a bank account, provided that the balance stays as it is.

    `amount` in cents; 0 if less than the minimum is available, so that none would be made.
    `held_by` is the bank entry that has to be explained before it can leave.
    """

    bank_account: BankAccount
    day: date
    arrival_date: date
    amount: int
    held_by: str


def forecast_payouts(
    merchant: Merchant, balances: MerchantBalances, *, now: datetime
) -> Iterator[Forecast]:
    """Yield the next payout to each open account, in the mode of the balances."""
    foreseen = list(next_days(merchant, livemode=balances.livemode, now=now))
    available = {each.currency: each.amount for each in balances.available}
    held = contradictions_of(merchant.pk, livemode=balances.livemode) if foreseen else {}
    for account, day, arrival_date in foreseen:
        code = account.currency
        amount = _amount_of(available.get(code, 0))
        yield Forecast(account, day, arrival_date, amount, held.get(code, ""))


def _amount_of(available: int) -> int:
    """Return the cents that would be paid out of an available balance; 0 below the minimum."""
    try:
        return amount_to_pay(None, available)
    except InsufficientBalance:
        return 0
