"""Money in a merchant's balance, without the customers who paid it."""

from datetime import datetime

from django.db import transaction

from core.clock import utc_now
from core.ids import new_id
from ledger.models import HOUSE, Purpose, TransferKind
from ledger.services import Movement, accounts_for, balance_of, post_transfers
from merchants.models import Merchant
from payouts.models import Payout


@transaction.atomic
def credit(
    merchant: Merchant,
    amount: int,
    *,
    currency: str = "BSD",
    livemode: bool = False,
    at: datetime | None = None,
) -> str:
    """Put cents into the balance (a negative amount takes them out); return the reference."""
    at = at or utc_now()
    funding, balance = accounts_for(
        (HOUSE, Purpose.FUNDING),
        (merchant.id, Purpose.MERCHANT),
        currency=currency,
        livemode=livemode,
    )
    debit, credited = (funding, balance) if amount > 0 else (balance, funding)
    reference = new_id("adj", at)
    movement = Movement(
        kind=TransferKind.ADJUSTMENT,
        reference=reference,
        debit=debit,
        credit=credited,
        amount=abs(amount),
        description="Test money",
    )
    post_transfers(transaction_id=new_id("txn", at), movements=[movement], now=at)
    return reference


def held(
    merchant: Merchant, purpose: Purpose, *, currency: str = "BSD", livemode: bool = False
) -> int:
    """Return the exact balance of an account of the merchant, or of the house for the bank."""
    owner = HOUSE if purpose == Purpose.BANK else merchant.id
    [account] = accounts_for((owner, purpose), currency=currency, livemode=livemode)
    return balance_of(account)


def given_back(payout: Payout) -> int:
    """Return what of its money a merchant has in the balance, now; the payout is read anew."""
    payout.refresh_from_db()
    return held(payout.merchant, Purpose.MERCHANT, livemode=True)
