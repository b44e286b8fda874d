"""A payment is proved by money that went from its customer's wallet to its merchant's balance."""

import pytest
from django.db import transaction

from core.clock import utc_now
from ledger.models import Account, Purpose, TransferKind
from ledger.services import Movement, account_for, post_transfers
from merchants.models import Merchant
from payments.models import Payment
from payments.reconciliation import check_payments
from tests.factories import PaymentFactory
from tests.payments.journeys import payer

pytestmark = pytest.mark.django_db
WALLET, MERCHANT = Purpose.WALLET, Purpose.MERCHANT


def account(owner: str, purpose: Purpose) -> Account:
    found = account_for(owner=owner, purpose=purpose, currency="BSD", livemode=False)
    Account.objects.filter(pk=found.pk, balance=0).update(balance=1_250)
    return found


@pytest.mark.parametrize(
    ("debit", "credit", "proves"),
    [
        (("payer", WALLET), ("merchant", MERCHANT), True),
        (("payer", WALLET), ("merchant", Purpose.FEES), False),
        (("payer", WALLET), ("stranger", MERCHANT), False),
        (("payer", MERCHANT), ("merchant", MERCHANT), False),
        (("stranger", WALLET), ("merchant", MERCHANT), False),
    ],
)
def test_the_proof_looks_whose_account_it_was_and_what_for(
    merchant: Merchant,
    debit: tuple[str, Purpose],
    credit: tuple[str, Purpose],
    proves: bool,
) -> None:
    customer, paid = payer(merchant), PaymentFactory(merchant=merchant)
    owners = {"payer": customer.id, "merchant": merchant.id, "stranger": "mer_x"}
    movement = Movement(
        kind=TransferKind.PAYMENT,
        reference=paid.id,
        debit=account(owners[debit[0]], debit[1]),
        credit=account(owners[credit[0]], credit[1]),
        amount=1_250,
    )
    with transaction.atomic():
        post_transfers(transaction_id="txn_x", movements=[movement], now=utc_now())
    Payment.objects.update(
        status="completed", completed_at=utc_now(), transaction_id="txn_x", customer=customer, fee=0
    )

    missing = f"Payment {paid.id} is completed without the transfer of its amount."
    assert (missing in check_payments()) is not proves
