"""An amount in the search box: 12.50 is neither 1,250 yen nor a dinar and a quarter."""

from collections.abc import Callable

import pytest

from backoffice.resource.page_urls import page_of
from backoffice.search_query import SearchQuery
from core.clock import utc_now
from core.money import MAX_AMOUNT
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
        ("JP¥1,250", "JPY"),
        ("¥ 1,250 island coffee", "JPY"),
        ("1.250 KWD", "KWD"),
        ("1.25 KWD today", "KWD"),
        ("1.250", "KWD"),
        ("1.250 island coffee", "KWD"),
    ],
)
def test_an_amount_finds_the_payment_of_that_amount_only(
    office: Office, of: Of, text: str, currency: str
) -> None:
    assert search(office, text) == page_of(of(currency))


@pytest.mark.parametrize("text", ["1,250", "1250", "1,250.00", "1,250 island coffee"])
def test_an_amount_without_a_currency_is_meant_in_that_of_each_payment(
    office: Office, of: Of, text: str
) -> None:
    assert search(office, text) == page_of(of("JPY"))

    dinars = paid_payment(of("JPY").merchant, 1_250_000, currency="KWD")
    page = search(office, text)
    assert [page_of(row) in page for row in (of("JPY"), dinars, of("BSD"))] == [True, True, False]


def test_an_amount_without_a_currency_is_none_beyond_what_can_be_paid() -> None:
    most = SearchQuery("", amount=MAX_AMOUNT)

    assert most.amounts == {2: MAX_AMOUNT}
    assert SearchQuery("", amount=1_200).amounts == {0: 12, 2: 1_200, 3: 12_000, 4: 120_000}
    assert SearchQuery("", amount=12, currency="JPY").amounts == {0: 12}
    assert SearchQuery("").amounts == {}


def test_an_amount_finds_the_refund_of_that_amount_only(office: Office, of: Of) -> None:
    for code in ("BSD", "JPY"):
        payment, draft = of(code), RefundDraft(amount=300, reason="Cold")
        caller = caller_of(payment.merchant)
        create_refund(caller=caller, payment_id=payment.pk, draft=draft, now=utc_now())

    assert search(office, "refund 3.00") == page_of(Refund.objects.get(currency="BSD"))
    assert search(office, "refund 300 JPY") == page_of(Refund.objects.get(currency="JPY"))
