"""Refunds that race: never more than the payment, never less than a winner."""

from functools import partial

import pytest

from core.clock import now
from core.errors import ApiError
from merchants.authentication import Caller
from merchants.models import Merchant
from refunds.models import Refund
from refunds.services import RefundDraft, create_refund
from tests.factories import PaymentFactory
from tests.payments.journeys import pay_with, payer
from tests.races import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@pytest.mark.parametrize(("amount", "tries", "winners"), [(7, 20, 14), (None, 8, 1)])
def test_refunds_do_not_pass_the_amount(
    merchant: Merchant, amount: int | None, tries: int, winners: int
) -> None:
    payment = PaymentFactory(merchant=merchant, amount=100)
    pay_with(payment.id, payer())
    refund = partial(
        create_refund,
        caller=Caller(merchant, livemode=False, actor="key:test"),
        payment_id=payment.id,
        draft=RefundDraft(amount=amount),
        now=now(),
    )

    results = at_once([refund] * tries)

    refused = [result for result in results if isinstance(result, Exception)]
    assert len(refused) == tries - winners
    assert {error.code for error in refused if isinstance(error, ApiError)} == {
        "REFUND_EXCEEDS_PAYMENT"
    }
    payment.refresh_from_db()
    assert payment.amount_refunded == sum(Refund.objects.values_list("amount", flat=True))
    assert payment.amount_refunded == (amount or 100) * winners
