"""What an approver reads before deciding: whose it is, and how much."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backoffice.errors import RefundFormStale
from backoffice.models import Instruction
from backoffice.request_answer import warnings_of
from backoffice.resource.page_urls import address_of, list_of, page_of
from backoffice.roles import Role
from backoffice.services.decisions import approve
from backoffice.services.instructions import instruct
from core.clock import utc_now
from merchants.models import Merchant
from payments.models import Payment
from refunds.models import Refund
from refunds.services import RefundDraft, create_refund
from refunds.statuses import RefundStatus
from tests.backoffice.acting import act, fields_of, page_of_act
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


def refunded_by_the_shop(asked: Instruction, amount: int, reason: str = "By the shop") -> Refund:
    payment = Payment.objects.get(pk=asked.subject_id)
    draft, caller = RefundDraft(amount=amount, reason=reason), caller_of(payment.merchant)
    return create_refund(caller=caller, payment_id=payment.pk, draft=draft, now=utc_now())


def test_an_approver_reads_that_too_little_is_left_after_another_refund(office: Office) -> None:
    asked, browser = refund_of(MerchantFactory()), office(Role.FINANCE)
    assert not browser.get(page_of(asked)).context["answer"].troubles
    refunded_by_the_shop(asked, 100_000)
    said = (
        "B$1,500.00 BSD can be refunded now, B$2,500.00 BSD when this was requested: decline or"
        " withdraw it, and request again what is still to be refunded."
    )

    page = browser.get(page_of(asked))
    assert page.context["answer"].troubles == [said]
    assert "A colleague must decide by" in page.content.decode()
    assert [each["action"].title for each in page.context["row_actions"]] == ["Decline"]
    assert said in browser.get(page_of_act(asked, "approve")).content.decode()
    refused = act(browser, asked, "approve", note="Saw the photo")

    assert refused.status_code == 422
    words = f"What can be refunded has changed since this was requested. {said}"
    assert refused.context["form"].non_field_errors() == [words]
    assert refused.content.decode().count(said) == 1
    assert Refund.objects.count() == 1


def test_an_approver_reads_what_else_was_refunded_and_may_approve_what_is_left(
    office: Office,
) -> None:
    asked, browser = refund_of(MerchantFactory()), office(Role.FINANCE)
    refunded_by_the_shop(asked, 50_000)  # just enough is left

    [said] = browser.get(page_of(asked)).context["answer"].troubles

    assert said.startswith("Refunded since this was requested: B$500.00 BSD ")
    assert said.endswith(
        " (“By the shop”). Make sure that this is not for the same; B$2,000.00 BSD can still be"
        " refunded."
    )
    assert said in browser.get(page_of_act(asked, "approve")).content.decode()
    assert act(browser, asked, "approve", note="For other goods").status_code == 302
    assert sorted(refund.amount for refund in Refund.objects.all()) == [50_000, 200_000]


def test_an_approver_reads_of_each_refund_since_by_whom_it_was_made(merchant: Merchant) -> None:
    asked = refund_of(merchant)
    for amount in (10_000, 20_000):
        refunded_by_the_shop(asked, amount, reason="")

    [said] = warnings_of(asked)

    words = r"requested: B\$200\.00 BSD (.+) by (.+); B\$100\.00 BSD \1 by \2\. Make"
    found = re.search(words, said)
    assert found is not None
    assert found[2] == "the shop"


def test_two_waiting_parts_of_a_payment_can_both_be_approved(
    office: Office, merchant: Merchant
) -> None:
    payment, browser = paid_payment(merchant, 500_000), office(Role.FINANCE)
    parts = [
        instruct(staff=staff_as(Role.SUPPORT), request=refund_request(payment, it), now=utc_now())
        for it in (200_000, 300_000)
    ]
    for part in parts:
        assert act(browser, part, "approve", note="Saw the photo").status_code == 302

    payment.refresh_from_db()
    assert payment.amount_refundable == 0
    assert Refund.objects.count() == 2


def test_no_approval_is_given_to_what_was_read_before_another_refund(office: Office) -> None:
    asked, browser = refund_of(MerchantFactory()), office(Role.FINANCE)
    page = page_of_act(asked, "approve")
    form = fields_of(browser.get(page).content.decode()) | {"note": "Saw the photo"}
    refunded_by_the_shop(asked, 10_000)

    refused = browser.post(page, form)

    assert refused.status_code == 422
    [error] = refused.context["form"].non_field_errors()
    assert error == (
        "What can be refunded has changed since this form was opened. B$2,400.00 BSD is left now:"
        " read this again before you approve it."
    )
    shown = refused.content.decode()
    assert ("Refunded since this was requested: " in shown, "Saw the photo" in shown) == (
        True,
        True,
    )
    assert Refund.objects.count() == 1
    again = fields_of(shown) | {"note": "Not for the same"}
    assert browser.post(page, again).status_code == 302
    assert Refund.objects.count() == 2


@pytest.mark.parametrize("seen", [None, 240_000])
def test_an_approval_without_a_form_is_of_what_the_requester_saw(seen: int | None) -> None:
    asked, finance = refund_of(MerchantFactory()), staff_as(Role.FINANCE)
    refunded_by_the_shop(asked, 20_000)

    with pytest.raises(RefundFormStale):
        approve(
            staff=finance,
            instruction_id=asked.pk,
            note="",
            now=utc_now(),
            expected_available=seen,
        )

    assert Refund.objects.count() == 1


def test_an_approver_reads_of_a_refund_that_a_clock_behind_dates_before_the_request(
    merchant: Merchant,
) -> None:
    asked = refund_of(merchant)
    refund = refunded_by_the_shop(asked, 10_000)
    Refund.objects.filter(pk=refund.pk).update(created_at=asked.asked_at - timedelta(seconds=2))

    [said] = warnings_of(asked)

    assert said.startswith("Refunded since this was requested: see the payment's refunds. Make")


def test_a_refund_of_another_payment_is_no_refund_since(merchant: Merchant) -> None:
    asked = refund_of(merchant)
    draft, other = RefundDraft(amount=100), paid_payment(merchant)
    create_refund(caller=caller_of(merchant), payment_id=other.pk, draft=draft, now=utc_now())

    assert warnings_of(asked) == []


@pytest.mark.parametrize("sent", ["", "-1", "two", "9" * 5_000])
def test_an_approval_with_no_figure_of_the_form_approves_nothing_unread(
    office: Office, sent: str
) -> None:
    asked, browser = refund_of(MerchantFactory()), office(Role.FINANCE)
    page = page_of_act(asked, "approve")
    form = fields_of(browser.get(page).content.decode()) | {"expected_available": sent}
    refunded_by_the_shop(asked, 10_000)

    assert browser.post(page, form | {"note": "Saw the photo"}).status_code == 422
    assert Refund.objects.count() == 1


def test_a_refund_that_failed_or_came_before_needs_no_second_look(merchant: Merchant) -> None:
    payment = paid_payment(merchant, 250_000)
    create_refund(
        caller=caller_of(merchant),
        payment_id=payment.pk,
        draft=RefundDraft(amount=10_000),
        now=utc_now(),
    )
    payment.refresh_from_db()
    request = refund_request(payment, 200_000)
    asked = instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())
    assert warnings_of(asked) == []

    later = refunded_by_the_shop(asked, 10_000)
    assert len(warnings_of(asked)) == 1
    failed = {"status": RefundStatus.FAILED, "succeeded_at": None, "transaction_id": None}
    Refund.objects.filter(pk=later.pk).update(failed_at=utc_now(), fee_returned=0, **failed)
    Payment.objects.filter(pk=payment.pk).update(amount_refunded=10_000)

    assert warnings_of(asked) == []


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
