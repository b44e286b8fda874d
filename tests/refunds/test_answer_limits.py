"""A merchant that reports on its own receipts and answers itself: its customer hears of few."""

from dataclasses import replace

import pytest

from core.clock import utc_now
from customers.models import Customer
from merchants.callers import Caller
from messages.tasks import send_messages
from payments.models import Payment
from refunds.emails import ENDS_OF_REPORTS, MAILS, TEXTS
from refunds.inquiries import ProblemReport, close_inquiry, report_problem
from refunds.inquiry_statuses import InquiryReason
from tests.client import Api
from tests.refunds.refunding import LIVE_PHONE, refund, sell_live

pytestmark = pytest.mark.django_db


def answer_again_and_again(api: Api, sale: Payment, times: int) -> None:
    """Report as a visitor and answer as the merchant, who has the address of every receipt."""
    for _ in range(times):
        said = ProblemReport(InquiryReason.OTHER, "")
        opened = report_problem(payment_id=sale.id, report=said, actor="customer", now=utc_now())
        client = api(opened.merchant, live=True)
        path = f"/v1/inquiries/{opened.id}/answer"
        assert client.post(path, {"text": "Call us."}).status_code == 200
    send_messages()


def test_a_merchant_that_asks_and_answers_itself_sends_few_texts(api, merchant, texts, monkeypatch):
    monkeypatch.setattr("refunds.emails.TEXTS", replace(TEXTS, times=2))
    sale = sell_live(merchant, 1_250)
    answer_again_and_again(api, sale, 4)
    assert texts.to == [LIVE_PHONE] * 2

    said = ProblemReport(InquiryReason.OTHER, "")
    opened = report_problem(payment_id=sale.id, report=said, actor="customer", now=utc_now())
    close_inquiry(
        caller=Caller.for_staff(livemode=True, actor="staff:support"),
        inquiry_id=opened.id,
        text="Closed.",
        now=utc_now(),
    )
    send_messages()

    assert len(texts.to) == 3, "what staff answer is told all the same"


@pytest.mark.parametrize("ending", ["answer", "refund"])
def test_a_merchant_ends_no_report_against_it_unheard(api, merchant, texts, monkeypatch, ending):
    """With refunds of a cent it used up the customer's texts, then closed the report in silence."""
    monkeypatch.setattr("refunds.emails.TEXTS", replace(TEXTS, times=2))
    shop, other, sale = api(merchant, live=True), sell_live(merchant, 700), sell_live(merchant, 900)
    for _ in range(2):
        assert refund(api, other, 1).status_code == 201
    send_messages()
    said, payer = ProblemReport(InquiryReason.NOT_RECEIVED, ""), f"customer:{sale.customer_id}"
    opened = report_problem(payment_id=sale.id, report=said, actor=payer, now=utc_now())
    report_problem(payment_id=sale.id, report=said, actor="visitor", now=utc_now())

    if ending == "answer":
        shop.post(f"/v1/inquiries/{opened.id}/answer", {"text": "We sent it."})
    else:
        refund(api, sale, 1)
    send_messages()
    assert len(texts.texts) == 3, "what becomes of the customer's own report is told all the same"

    report_problem(payment_id=sale.id, report=said, actor="visitor", now=utc_now())
    shop.post(f"/v1/inquiries/{opened.id}/answer", {"text": "Well."})
    refund(api, sale, 1)
    send_messages()
    assert len(texts.texts) == 3, "but no more than that"


def report_and_refund_a_cent(api: Api, sale: Payment, times: int) -> None:
    """Report as the customer who paid, and settle that as the merchant: two accomplices."""
    said, payer = ProblemReport(InquiryReason.OTHER, ""), f"customer:{sale.customer_id}"
    for _ in range(times):
        report_problem(payment_id=sale.id, report=said, actor=payer, now=utc_now())
        assert refund(api, sale, 1).status_code == 201
    send_messages()


def test_accomplices_do_not_have_a_stranger_mailed_without_end(
    api, merchant, mailoutbox, monkeypatch
):
    """What settled a report was not counted, although it went to whom the merchant invoiced."""
    monkeypatch.setattr("refunds.emails.MAILS", replace(MAILS, times=2))
    sale = sell_live(merchant, 900)
    Payment.objects.filter(pk=sale.pk).update(customer_email="stranger@example.com")

    report_and_refund_a_cent(api, sale, 5)

    assert [mail.to for mail in mailoutbox] == [["stranger@example.com"]] * 2


def test_accomplices_do_not_have_texts_sent_without_end(api, merchant, texts, monkeypatch):
    """Five reports of each payment are many texts, at our cost, if there are many payments."""
    monkeypatch.setattr("refunds.emails.ENDS_OF_REPORTS", replace(ENDS_OF_REPORTS, times=3))
    monkeypatch.setattr("refunds.emails.TEXTS", replace(TEXTS, times=1))

    for _ in range(3):
        report_and_refund_a_cent(api, sell_live(merchant, 900), 2)

    assert texts.to == [LIVE_PHONE] * (3 + 1)


def test_a_merchant_that_asks_and_answers_itself_sends_few_mails(
    api, merchant, mailoutbox, monkeypatch
):
    monkeypatch.setattr("refunds.emails.MAILS", replace(MAILS, times=2))
    sale = sell_live(merchant, 1_250)
    Customer.objects.update(email="victim@example.com")

    answer_again_and_again(api, sale, 4)

    assert [mail.to for mail in mailoutbox] == [["victim@example.com"]] * 2


def test_a_merchant_does_not_choose_who_hears_what_became_of_a_report(
    api, merchant, texts, mailoutbox
):
    """With its own address on the payment it answered a report unnoticed, and so did we."""
    sale = sell_live(merchant, 1_250)
    Payment.objects.update(customer_email=merchant.email)
    said = ProblemReport(InquiryReason.NOT_RECEIVED, "Nothing has come.")
    payer = f"customer:{sale.customer_id}"
    opened = report_problem(payment_id=sale.id, report=said, actor=payer, now=utc_now())

    answered = api(merchant, live=True).post(f"/v1/inquiries/{opened.id}/answer", {"text": "Well."})
    assert answered.status_code == 200
    send_messages()

    assert (texts.to, [mail.to for mail in mailoutbox]) == ([LIVE_PHONE], [])
