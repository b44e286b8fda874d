"""Proofs of the transfers of a merchant's own accounts."""

from django.db.models import Q

from ledger.models import Transfer
from ledger.transaction_receipts import LogReceipt, receipt_of
from merchants.callers import Caller
from payouts.errors import TransactionNotFound


def receipt_for(*, caller: Caller, transaction_id: str) -> LogReceipt:
    """Return the receipt for the caller's transfers in a transaction.

    Raises TransactionNotFound.
    """
    transfers = Transfer.objects.filter(transaction_id=transaction_id, livemode=caller.livemode)
    if not caller.sees_every_merchant:
        owner = caller.merchant_id
        transfers = transfers.filter(Q(debit_account__owner=owner) | Q(credit_account__owner=owner))
    if not transfers.exists():
        raise TransactionNotFound
    return receipt_of(transaction_id, transfers)
