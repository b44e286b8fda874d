"""Live payouts, and batches of them for the bank."""

from datetime import date

from core.clock import utc_now
from core.sealed import seal
from payouts.bank_accounts import BankDetails, open_bank_account
from payouts.batches import create_batch
from payouts.models import Payout, PayoutBatch, PayoutOrder, PayoutTransition
from tests.factories import MerchantFactory
from tests.ledger.thief import all_rights
from tests.payouts.merchant_balance import credit

FAR = date(2100, 1, 1)


def live_payout(api, *, amount=1250, currency="BSD", description="", **details):
    merchant = MerchantFactory()
    given = {
        "currency": currency,
        "holder_name": "Conch Shack Ltd",
        "bank_name": "Bank of the Islands",
        "number": "1234 5678 9012",
        "bic": "BOTIBSNSXXX",
        **details,
    }
    open_bank_account(
        merchant_id=merchant.id,
        livemode=True,
        details=BankDetails(**given),
        actor="staff:ann",
        now=utc_now(),
    )
    credit(merchant, amount, currency=currency, livemode=True)
    body = {"currency": currency, "description": description}
    response = api(merchant, live=True).post("/v1/payouts", body)
    assert response.status_code == 201, response.content
    return Payout.objects.get(pk=response.json()["id"])


def batch_of(currency="BSD", execution_date=FAR, livemode=True, payout_ids=None, progress=None):
    return create_batch(
        livemode=livemode,
        currency=currency,
        execution_date=execution_date,
        actor="staff:ann",
        now=utc_now(),
        payout_ids=payout_ids,
        progress=progress,
    )


def order_with(*, holder_name="Conch Shack Ltd", bank_name="Bank", description="") -> PayoutOrder:
    """Return an order in these words, not saved."""
    order = PayoutOrder(
        payout_id="po_x",
        batch=PayoutBatch(currency="BSD"),
        end_to_end_id="E-x",
        amount=1250,
        holder_name=holder_name,
        bank_name=bank_name,
        bic="BOTIBSNS",
        description=description,
    )
    seal(order, "encrypted_number", "po_x 1234")
    return order


def undo(batch: PayoutBatch) -> None:
    """Set the rows back to before the batch, as a restored database would have them."""
    with all_rights():
        PayoutOrder.objects.filter(batch=batch).delete()
        gone = PayoutTransition.objects.filter(payout__batch=batch, to_status="in_transit")
        gone.delete()
        Payout.objects.filter(batch=batch).update(
            batch=None, status="scheduled", in_transit_at=None
        )
        PayoutBatch.objects.filter(pk=batch.pk).delete()
