"""A room without rows costs a proof little; a transfer of nothing there is named all the same."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.module_loading import import_string

from config.rooms import LEDGER_CHECKS
from ledger.models import Purpose, TransferKind
from tests.ledger.funding import move, opened

pytestmark = pytest.mark.django_db

K = TransferKind
OF_NOTHING = {
    "payments.reconciliation.check_payments": (
        (K.PAYMENT, "pay_1", "is the payment of no completed pay_1."),
        (K.FEE, "pay_1", "is the fee of no completed pay_1."),
        (K.TIP, "pay_1", "is the tip of no completed pay_1."),
    ),
    "refunds.reconciliation.check_refunds": (
        (K.REFUND, "re_1", "is the refund of no succeeded re_1."),
        (K.REFUND_FEE, "re_1", "is the refund_fee of no succeeded re_1."),
    ),
    "payouts.reconciliation.check_payouts": (
        (K.PAYOUT, "po_1", "is of payout po_1, which does not exist."),
        (K.PAYOUT_REVERSED, "po_1", "is of payout po_1, which does not exist."),
    ),
    "funding.reconciliation.check_top_ups": (
        (K.TOP_UP, "top_1", "is of no succeeded top-up top_1."),
        (K.ADJUSTMENT, "top_1", "takes back top_1, which is not reversed."),
    ),
}


@pytest.mark.parametrize(
    ("check", "kind", "reference", "said"),
    [(check, *each) for check, every in OF_NOTHING.items() for each in every],
)
def test_a_transfer_that_is_of_nothing_is_named(
    check: str, kind: TransferKind, reference: str, said: str
) -> None:
    wallet, shop = opened(Purpose.WALLET, holding=500), opened(Purpose.MERCHANT)
    move(wallet, shop, 100, kind, reference)

    [found] = import_string(check)()

    assert found.endswith(said)


def test_where_there_is_nothing_little_is_asked() -> None:
    with CaptureQueriesContext(connection) as asked:
        found = [wrong for check in LEDGER_CHECKS for wrong in import_string(check)()]

    assert found == []
    assert len(asked) <= 30
