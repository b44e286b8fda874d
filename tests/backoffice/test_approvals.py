"""What an approver reads before deciding: whose it is, and how much."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backoffice.models import Instruction
from backoffice.request_answer import warnings_of
from backoffice.resource.page_urls import address_of, list_of, page_of
from backoffice.roles import Role
from backoffice.services.instructions import instruct
from core.clock import utc_now
from merchants.models import Merchant
from payments.models import Payment
from refunds.models import Refund
from refunds.services import RefundDraft, create_refund
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import caller_of, paid_payment, refund_request
from tests.factories import MerchantFactory

pytestmark = pytest.mark.django_db
LIST = {"mode": "both"}


def refund_of(shop: Merchant) -> Instruction:
    request = refund_request(paid_payment(shop, 250_000), 200_000)
    return instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())


def test_an_approver_reads_whose_money_it_is(office: Office) -> None:
    shop, browser = MerchantFactory(name="Reef Bakery"), office(Role.FINANCE)
    asked = refund_of(shop)
    said = "Refund of B$2,000.00 BSD (Reef Bakery), requested by support."

    page = browser.get(page_of(asked)).content.decode()

    assert said in page
    assert f'<a class="bo-link" href="{page_of(shop)}">Reef Bakery</a>' in page
    assert said in browser.get(page_of_act(asked, "approve")).content.decode()


def test_an_approver_reads_that_another_refund_came_first(office: Office) -> None:
    asked, browser = refund_of(MerchantFactory()), office(Role.FINANCE)
    payment = Payment.objects.get(pk=asked.subject_id)
    assert not browser.get(page_of(asked)).context["answer"].troubles
    draft = RefundDraft(amount=100_000, reason="By the shop")
    create_refund(
        caller=caller_of(payment.merchant), payment_id=payment.pk, draft=draft, now=utc_now()
    )
    said = (
        "B$1,500.00 BSD can be refunded now, B$2,500.00 BSD when this was requested: decline it,"
        " and request again what is still to be refunded."
    )

    assert browser.get(page_of(asked)).context["answer"].troubles == [said]
    assert said in browser.get(page_of_act(asked, "approve")).content.decode()
    refused = act(browser, asked, "approve", note="Saw the photo")

    assert refused.status_code == 422
    words = f"What can be refunded has changed since this was requested. {said}"
    assert refused.context["form"].non_field_errors() == [words]
    assert Refund.objects.count() == 1


def test_an_approver_reads_that_more_can_be_refunded_since_another_refund_failed(
    merchant: Merchant,
) -> None:
    asked = refund_of(merchant)
    assert not warnings_of(asked)
    asked.arguments = {"expected_available": 200_000}  # the rest was being refunded then

    [said] = warnings_of(asked)

    assert said.startswith(
        "B$2,500.00 BSD can be refunded now, B$2,000.00 BSD when this was requested:"
    )


def test_the_page_of_a_refund_says_who_approved_it(office: Office, merchant: Merchant) -> None:
    asked = refund_of(merchant)
    act(office(Role.FINANCE), asked, "approve", note="Saw the photo")
    alone = refund_request(paid_payment(merchant, 500), 100)
    instruct(staff=staff_as(Role.SUPPORT), request=alone, now=utc_now())
    at_once, approved = Refund.objects.order_by("amount")

    def said(refund: Refund) -> str:
        return str(office(Role.VIEWER).get(page_of(refund)).context["answer"].words[1])

    assert said(approved).startswith("Requested by support, it was approved ")
    assert "by finance: Saw the photo." in said(approved)
    assert page_of(asked) in said(approved)
    assert said(at_once).startswith("Requested by support, it was initiated ")
    assert "without a second person" in said(at_once)


def test_that_of_a_customer_has_the_end_of_the_phone(office: Office, merchant: Merchant) -> None:
    customer = paid_payment(merchant, 500_000).paying_customer
    money = {"currency": "BSD", "reason": "Paid at the desk", "note": "Receipt 7"}
    act(office(Role.FINANCE), customer, "top-up", amount="80.00", **money)
    asked, browser = Instruction.objects.get(), office(Role.ADMINISTRATOR)

    assert "Top-up of B$80.00 BSD (+1 242 ••• 0100)" in browser.get(page_of(asked)).content.decode()
    listed = browser.get(list_of(Instruction, **LIST)).content.decode()
    assert "+1 242 ••• 0100" in listed
    assert customer.phone not in listed


def test_the_names_cost_a_list_no_statement(office: Office) -> None:
    browser, counts = office(Role.FINANCE), []
    browser.get(list_of(Instruction, **LIST))  # notes that the session is used
    for name in ("Reef Bakery", "Conch Cafe", "Cable Beach Dive"):
        refund_of(MerchantFactory(name=name))
        with CaptureQueriesContext(connection) as statements:
            listed = browser.get(list_of(Instruction, **LIST)).content.decode()
        counts.append(len(statements))
        assert name in listed

    assert len(set(counts)) == 1


def test_an_export_writes_no_amount_where_none_was_asked(
    office: Office, merchant: Merchant
) -> None:
    key = {"mode": "live", "name": "Till", "reason": "A second till"}
    act(office(Role.ADMINISTRATOR), merchant, "issue-key", **key)
    refund_of(merchant)

    content = office(Role.FINANCE).get(address_of(Instruction, "export", "csv"), LIST).content

    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    amounts = {row["What"]: (row["Amount"], row["Amount in smallest units"]) for row in rows}
    assert amounts == {"Refund": ("2000.00", "200000"), "Issue live key": ("", "")}
