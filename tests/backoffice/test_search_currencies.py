"""An amount in the search box: 12.50 is neither 1,250 yen nor a dinar and a quarter."""

from collections.abc import Callable

import pytest

from backoffice.resource.page_urls import page_of
from core.clock import utc_now
from merchants.models import Merchant
from payments.models import Payment
from refunds.models import Refund
from refunds.services import RefundDraft, create_refund
from tests.backoffice.conftest import Office
from tests.backoffice.rows import caller_of, paid_payment
from tests.backoffice.searching import search
from tests.factories import MerchantFactory

pytestmark = pytest.mark.django_db

Of = Callable[[str], Payment]


@pytest.fixture
def of() -> Of:
    """A payment of 1,250 in the smallest unit of each of three currencies, by currency."""
    shop: Merchant = MerchantFactory(name="Island Coffee")
    paid = {code: paid_payment(shop, 1_250, currency=code) for code in ("BSD", "JPY", "KWD")}
    return paid.__getitem__


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("12.50", "BSD"),
        ("12,50", "BSD"),
        ("12.50 island coffee", "BSD"),
        ("12.50 BSD", "BSD"),
        ("1,250 JPY", "JPY"),
        ("1250 JPY", "JPY"),
        ("1.250 KWD", "KWD"),
        ("1.25 KWD today", "KWD"),
    ],
)
def test_an_amount_finds_the_payment_of_that_amount_only(
    office: Office, of: Of, text: str, currency: str
) -> None:
    assert search(office, text) == page_of(of(currency))


def test_an_amount_finds_the_refund_of_that_amount_only(office: Office, of: Of) -> None:
    for code in ("BSD", "JPY"):
        payment, draft = of(code), RefundDraft(amount=300, reason="Cold")
        caller = caller_of(payment.merchant)
        create_refund(caller=caller, payment_id=payment.pk, draft=draft, now=utc_now())

    assert search(office, "refund 3.00") == page_of(Refund.objects.get(currency="BSD"))
    assert search(office, "refund 300 JPY") == page_of(Refund.objects.get(currency="JPY"))
