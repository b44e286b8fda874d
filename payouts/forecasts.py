"""Forecast a merchant's next scheduled payouts, by the code that will make them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from ledger.errors import InsufficientBalance
from merchants.models import Merchant
from payouts.balances import MerchantBalances
from payouts.contradictions import contradictions_of
from payouts.models import BankAccount
from payouts.scheduling import next_payouts
from payouts.services import amount_to_pay


@dataclass(frozen=True)
class Forecast:
    """The next scheduled payout to a bank account, provided that the balance stays as it is.

    `day` is when it leaves. `amount` in cents; 0 if less than the minimum is available, so that
    none would be made. `held_by` is the id of the bank entry that has to be explained before it can
    leave; empty if none holds it back.
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
    payouts = list(next_payouts(merchant, livemode=balances.livemode, now=now))
    available = {each.currency: each.amount for each in balances.available}
    held = contradictions_of(merchant.pk, livemode=balances.livemode) if payouts else {}
    for account, send_date, arrival_date in payouts:
        currency = account.currency
        amount = _amount_of(available.get(currency, 0))
        yield Forecast(account, send_date, arrival_date, amount, held.get(currency, ""))


def _amount_of(available: int) -> int:
    """Return the cents that would be paid out of an available balance; 0 below the minimum."""
    try:
        return amount_to_pay(None, available)
    except InsufficientBalance:
        return 0
