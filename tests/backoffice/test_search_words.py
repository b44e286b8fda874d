"""What people say before a figure or a name: "refund 12.50", "order no. HB-1"."""

from typing import Any

import pytest

from backoffice.models import Instruction, NoteSubject
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.search_words import asked_for, bare_name
from backoffice.services.instructions import instruct
from core.clock import utc_now
from funding.models import TopUp
from merchants.models import Merchant
from payments.models import Payment
from payments.numbers import number_of
from payouts.models import Payout
from refunds.models import Refund
from refunds.services import RefundDraft, create_refund
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import (
    caller_of,
    one_of_each,
    paid_payment,
    refund_request,
    scheduled_payout,
)
from tests.backoffice.searching import search
from tests.factories import MerchantFactory, PaymentFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def cafe() -> Merchant:
    return MerchantFactory(name="Island Coffee", slug="island-coffee")


@pytest.fixture
def refund(cafe: Merchant) -> Refund:
    """A refund of 12.50, beside two payments of that amount."""
    for _ in range(2):
        PaymentFactory(merchant=cafe, amount=1_250)
    paid = paid_payment(cafe, 200_000, order_id="HB-1", invoice_number="INV-40")
    draft = RefundDraft(amount=1_250)
    return create_refund(caller=caller_of(cafe), payment_id=paid.pk, draft=draft, now=utc_now())


@pytest.fixture
def payout(cafe: Merchant, refund: Refund) -> Payout:
    return scheduled_payout(cafe, 120_000)


@pytest.mark.parametrize(
    "text",
    [
        *("refund 12.50", "Refund of B$12,50", "a refund for -12.50", "refund 12.50 island coffee"),
        *("refund: 12.50", "Refund:12.50", "refunded 12.50 twice", "refund: 12.50 island coffee"),
    ],
)
def test_a_refund_is_opened_by_its_amount(office: Office, refund: Refund, text: str) -> None:
    assert search(office, text) == page_of(refund)


@pytest.mark.parametrize("text", ["refund 12.50 0100", "refunded 12.50 …0100 today"])
def test_a_refund_is_opened_by_its_amount_and_the_end_of_the_phone(
    office: Office, refund: Refund, text: str
) -> None:
    assert search(office, text) == page_of(refund)


def test_a_top_up_is_opened_by_its_amount_and_the_end_of_the_phone(office: Office) -> None:
    top_up = one_of_each()[TopUp]

    assert search(office, "top-up 20.00 0100") == page_of(top_up)
    assert "Nothing was found" in search(office, "top-up 20.00 0101")


@pytest.mark.parametrize(
    "text",
    [
        *("charge 2,000.00", "charged 2000", "i was charged 2000.00 twice", "Purchase: 2,000.00"),
        *("sale of 2000.00 at island coffee", "charge 2,000.00 2,000.00"),
    ],
)
def test_a_payment_is_opened_by_what_people_call_it(
    office: Office, refund: Refund, text: str
) -> None:
    assert search(office, text) == page_of(refund.payment)


@pytest.mark.parametrize(
    "text", ["12.50 house of tea", "i was charged 12.50 at the House of Tea today", "tea 12.50"]
)
def test_a_shop_with_a_filler_in_its_name_is_found_beside_an_amount(
    office: Office, refund: Refund, text: str
) -> None:
    shop = MerchantFactory(name="House of Tea", slug="house-of-tea")
    paid = paid_payment(shop, 1_250)

    assert search(office, text) == page_of(paid)


@pytest.mark.parametrize(
    "text",
    [
        "payout 1,200.00",
        "payout 1200",
        "payout of 1 200.00 to island coffee",
        "payout of 1200",
        "1200",
    ],
)
def test_a_payout_is_opened_by_its_amount(office: Office, payout: Payout, text: str) -> None:
    assert search(office, text) == page_of(payout)


def taken_out(shop: Merchant, amount: int) -> Instruction:
    """Take an amount out of the balance of a shop that has sold for 100.00."""
    taking: dict[str, Any] = {
        "task": "adjust_merchant",
        "subject_id": shop.pk,
        "note_on": NoteSubject.MERCHANT,
        "arguments": {"direction": "take"},
    }
    request = refund_request(paid_payment(shop, 10_000), amount, **taking)
    return instruct(staff=staff_as(Role.FINANCE), request=request, now=utc_now())


@pytest.fixture
def adjustment(cafe: Merchant) -> Instruction:
    return taken_out(cafe, 500)


@pytest.mark.parametrize(
    "text", ["adjustment 5.00", "Adjustment: -5.00", "adjustment 5.00 island coffee", "5.00"]
)
def test_an_adjustment_is_opened_by_its_amount(
    office: Office, adjustment: Instruction, text: str
) -> None:
    assert search(office, text, Role.SUPPORT) == page_of(adjustment)


def test_only_adjustments_of_the_amount_and_the_shop_are_found(
    office: Office, adjustment: Instruction
) -> None:
    MerchantFactory(name="House of Tea", slug="house-of-tea")
    waiting = refund_request(paid_payment(amount=90_000), 50_000)
    asked = instruct(staff=staff_as(Role.SUPPORT), request=waiting, now=utc_now())

    assert "Nothing was found" in search(office, "adjustment 4.00")
    assert "Nothing was found" in search(office, "adjustment 5.00 house of tea")
    assert asked.pk not in search(office, "500.00")


def test_two_adjustments_of_an_amount_are_listed_with_whose_balance(
    office: Office, adjustment: Instruction
) -> None:
    taken_out(MerchantFactory(name="House of Tea", slug="house-of-tea"), 500)

    listed = search(office, "adjustment 5.00")

    assert "Adjustments of this amount" in listed
    assert "Island Coffee" in listed
    assert "House of Tea" in listed


def test_without_such_a_refund_others_of_the_amount_are_listed(
    office: Office, payout: Payout
) -> None:
    listed = search(office, "refund 1,200.00")

    assert "Payouts of this amount" in listed


def test_several_of_a_kind_are_listed_without_other_kinds(office: Office, refund: Refund) -> None:
    caller, draft = caller_of(refund.merchant), RefundDraft(amount=1_250)
    create_refund(caller=caller, payment_id=refund.payment_id, draft=draft, now=utc_now())

    listed = search(office, "refund 12.50")

    assert "Refunds of this amount" in listed
    assert "Payments: " not in listed


def test_those_who_may_not_see_payouts_find_none(office: Office, payout: Payout) -> None:
    assert payout.pk not in search(office, "payout 1,200.00 island coffee", Role.DEVELOPER)
    assert payout.pk not in search(office, "payout 1200", Role.DEVELOPER)


@pytest.mark.parametrize("text", ["order HB-1", "Order no. hb-1", "#HB-1", "invoice INV-40"])
def test_a_payment_is_opened_by_a_name_with_its_noun(
    office: Office, refund: Refund, text: str
) -> None:
    assert search(office, text) == page_of(refund.payment)


def test_a_receipt_is_found_by_the_word_and_its_number(office: Office, refund: Refund) -> None:
    assert search(office, f"receipt {number_of(refund.payment_id)}") == page_of(refund.payment)


def test_a_name_that_has_such_a_word_itself_comes_first(office: Office, refund: Refund) -> None:
    named = PaymentFactory(merchant=refund.merchant, amount=700, reference="Refund 12.50")
    shop = MerchantFactory(name="Payout 1200 Ltd", slug="payout-ltd")

    assert search(office, "refund 12.50") == page_of(named)
    assert search(office, "payout 1200 ltd") == page_of(shop)
    assert Payment.objects.count() == 4


@pytest.mark.parametrize(
    "text",
    ["refund", "refunds today", "12.50 island coffee", "topaz 12.50", "stop 12.50", "wholesale 1"],
)
def test_other_texts_ask_for_no_kind(text: str) -> None:
    assert asked_for(text) is None


@pytest.mark.parametrize("text", ["ref_0VbaO3dt9C4bhTqiRyFU8F5UIxIf4i", "orders 7", "Nora", "id"])
def test_other_texts_begin_with_no_noun(text: str) -> None:
    assert not bare_name(text)


@pytest.mark.parametrize("text", ["2026-11-31", "2026-11-31 7.77", "31 nov 7.77"])
def test_a_day_that_does_not_exist_finds_nothing(office: Office, refund: Refund, text: str) -> None:
    PaymentFactory(merchant=refund.merchant, amount=777, invoice_number="2026-017")

    page = search(office, text)

    assert "Nothing was found" in page
    assert ("There is no 2026-11-31 in the calendar." in page) == ("2026" in text)


@pytest.mark.parametrize(
    ("text", "name"),
    [("  order no. HB-1 ", "HB-1"), ("#1042", "1042"), ("ref: A 7", "A 7"), ("A-7", "")],
)
def test_what_is_named_is_taken_without_its_noun(text: str, name: str) -> None:
    assert bare_name(text) == name


@pytest.mark.parametrize("text", ["payout island coffee", "Payouts of Island", "island payout"])
def test_the_payouts_of_a_shop_are_found_without_an_amount(
    office: Office, payout: Payout, text: str
) -> None:
    of_another_shop = paid_payout("House of Tea")

    assert search(office, text, Role.SUPPORT) == page_of(payout)
    assert page_of(payout) not in search(office, text, Role.DEVELOPER)
    assert search(office, "payout house of tea") == page_of(of_another_shop)


def paid_payout(name: str) -> Payout:
    """Schedule a payout of 100.00 for another shop."""
    shop = paid_payment(MerchantFactory(name=name, slug="other"), 20_000).merchant
    return scheduled_payout(shop, 10_000)


def test_the_refunds_and_adjustments_of_a_shop_are_found_without_an_amount(
    office: Office, refund: Refund, adjustment: Instruction
) -> None:
    assert search(office, "refunds island coffee") == page_of(refund)
    assert search(office, "adjustment of island coffee") == page_of(adjustment)
    assert "Nothing was found" in search(office, "refund of the co")


@pytest.mark.parametrize("text", ["payout pier 24", "pier 24 payouts", "the payouts of Pier 24"])
def test_the_payouts_of_a_shop_with_a_figure_in_its_name_are_found(
    office: Office, payout: Payout, text: str
) -> None:
    of_another_shop = paid_payout("Pier 24")

    assert search(office, text) == page_of(of_another_shop)
