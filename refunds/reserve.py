"""What refunds need of a merchant's balance: the reserve for pending ones, and what one lacks."""

from typing import Any

from django.db.models import QuerySet, Sum

from ledger.models import Purpose
from ledger.services import balances
from payments.models import Payment
from refunds.models import Refund
from refunds.services import fee_share


def pending_amounts(merchant_id: str, livemode: bool) -> QuerySet[Refund, Any]:
    """Return the query for totals of a merchant's pending refunds: rows of currency and cents."""
    pending = Refund.objects.pending().filter(merchant_id=merchant_id, livemode=livemode)
    return pending.order_by().values_list("currency").annotate(total=Sum("amount"))


def missing_for(payment: Payment, amount: int) -> int:
    """Return the cents that the merchant's balance lacks now to refund `amount` cents; 0 if none.

    The share of the fee that is returned with the refund helps to cover it.
    """
    held = balances(
        owner=payment.merchant_id, purpose=Purpose.MERCHANT, livemode=payment.livemode
    ).get(payment.currency, 0)
    return max(amount - fee_share(payment, amount) - held, 0)
