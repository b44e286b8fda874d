"""The e-mail to a merchant about what a customer reports on a receipt."""

from dataclasses import replace

import pytest
from django.db import transaction
from django.utils import translation

from backoffice.services.personal_data import messages_to
from core.clock import utc_now
from core.formats import moment_and_offset_of
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from messages.models import Message
from messages.tasks import send_messages
from payments.models import Payment
from payments.numbers import number_of
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_statuses import InquiryReason
from refunds.models import Inquiry
from refunds.report_mails import KIND, REPORTS_MAILED
from tests.checkout.shopper import Shopper
from tests.refunds.refunding import refund, sell, sell_live

pytestmark = pytest.mark.django_db
WORDS = "Call +1 900 555 0100 at once"


def report(payment: Payment, by: str | None = None) -> Inquiry:
    said = ProblemReport(InquiryReason.NOT_RECEIVED, WORDS)
    actor = by or f"customer:{payment.customer_id}"
    return report_problem(payment_id=payment.id, report=said, actor=actor, now=utc_now())


def planned() -> int:
    return Message.objects.filter(kind=KIND).count()


def test_the_owner_is_mailed_what_a_customer_reports(merchant, mailoutbox, settings):
    settings.SUPPORT_EMAIL = "help@example.com"
    sale = sell_live(merchant, 1_250)
    inquiry = report(sale)
    send_messages()

    [mail] = mailoutbox
    assert mail.to == [merchant.email]
    assert mail.subject == "Payments: a problem with a payment of B$12.50 BSD"
    for line in (
        f"Payment: {sale.id} (live mode)\nAmount: B$12.50 BSD, paid ",
        f"\nReceipt number: {number_of(sale.id)}\nReason: not received\n"
        "Reported by: the customer who paid\n",
        f"\nWhat was written: {settings.CHECKOUT_URL}/receipts/{sale.id}/problem\n",
        f'send your "text" to POST /v1/inquiries/{inquiry.id}/answer\n',
        f"POST /v1/payments/{sale.id}/refund\nWithout a program of your own, write to help@",
        "\nThere is no deadline.",
    ):
        assert line in mail.body
    assert "900" not in mail.body, "no words of anyone who has the receipt"


def test_each_report_is_mailed_once(paid, mailoutbox):
    report(paid)
    report(paid, by="visitor")
    for _ in range(2):
        send_messages()

    assert [mail.subject for mail in mailoutbox] == [
        "[Test] Payments: a problem with a payment of B$12.50 BSD"
    ] * 2
    assert "Reported by: the customer who paid\n" in mailoutbox[0].body
    assert "Reported by: someone with the receipt who was not signed in" in mailoutbox[1].body


@pytest.mark.parametrize("first", ["customer", "visitor"])
def test_each_report_is_mailed_with_its_own_reason(paid, mailoutbox, first):
    """Of several before the first e-mail left, all told the newest reason, or the customer's."""
    report(paid, by=None if first == "customer" else first)
    said = ProblemReport(InquiryReason.DUPLICATE, WORDS)
    report_problem(payment_id=paid.id, report=said, actor="visitor", now=utc_now())
    send_messages()

    reasons = [mail.body.split("\nReason: ")[1].split("\nReported by:")[0] for mail in mailoutbox]
    assert reasons == ["not received", "duplicate"]


def test_a_mail_is_in_one_language_whatever_the_reporter_reads(paid, mailoutbox):
    with translation.override("fr"):
        report(paid)
    send_messages()

    [mail] = mailoutbox
    assert "a problem with a payment of B$12.50 BSD" in mail.subject
    moment = moment_and_offset_of(paid.completed_at, paid.merchant.time_zone)
    assert f"\nAmount: B$12.50 BSD, paid {moment}\n" in mail.body


def test_a_mail_that_an_older_version_planned_is_written_when_it_is_due(paid, mailoutbox):
    """It has no text; and that version finds the report of a mail of ours by the same key."""
    inquiry = report(paid)
    mails = Message.objects.filter(kind=KIND)
    assert mails.get().key == f"{inquiry.pk}:{KIND}:{inquiry.entries.get().pk}"
    mails.update(subject="", text="")
    send_messages()

    [mail] = mailoutbox
    assert mail.subject == "[Test] Payments: a problem with a payment of B$12.50 BSD"
    assert f"\nReceipt number: {number_of(paid.id)}\nReported by: the customer who" in mail.body


def test_what_was_settled_before_the_mail_is_not_mailed(api, paid, mailoutbox):
    report(paid)
    refund(api, paid, 500)
    send_messages()

    assert [mail for mail in mailoutbox if "a problem with" in mail.subject] == []


def test_reports_beyond_the_days_limit_are_not_mailed(merchant, monkeypatch):
    """Of customers and of visitors apart, and of tests: none keeps a customer's from the owner."""
    limit = replace(REPORTS_MAILED, times=2)
    monkeypatch.setattr("refunds.report_mails.REPORTS_MAILED", limit)
    test_sale, sale, other = sell(merchant, 100), sell_live(merchant, 200), sell_live(merchant, 300)
    for _ in range(3):
        report(test_sale)
        report(sale, by="visitor")
    assert planned() == 2 + 2

    for payment in (sale, other, sale):
        report(payment)

    assert planned() == 2 + 2 + 2
    assert Inquiry.objects.count() == 3, "what is not mailed is reported all the same"


def test_a_report_that_is_rolled_back_is_not_mailed(paid):
    def fail() -> None:
        with transaction.atomic():
            report(paid)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert planned() == 0


@pytest.mark.parametrize("livemode", [False, True], ids=["test", "live"])
@pytest.mark.parametrize("status", [MerchantStatus.UNVERIFIED, MerchantStatus.SUSPENDED])
def test_a_bystanders_address_is_not_mailed_what_is_reported(merchant, livemode, status):
    """Nor once the merchant is suspended, if it was never verified before."""
    sale = sell_live(merchant, 200) if livemode else sell(merchant, 200)
    Merchant.objects.filter(pk=merchant.pk).update(status=status, email_confirmed_at=None)

    report(sale)

    assert planned() == 0


def test_an_address_that_staff_have_verified_is_mailed_before_it_is_confirmed(merchant):
    sale = sell_live(merchant, 200)
    Merchant.objects.filter(pk=merchant.pk).update(email_confirmed_at=None)

    report(sale)

    assert planned() == 1


def test_what_a_merchant_is_mailed_is_no_message_of_its_customers(merchant):
    """An export would show them the merchant's own address, and an erasure take it from the log."""
    sale = sell_live(merchant, 200)
    report(sale)

    assert planned() == 1
    assert messages_to(sale.paying_customer).filter(kind=KIND).count() == 0


TOLD = "We have received it and told {}. The answer will appear on this page"
RECEIVED = "We have received it. The answer will appear on this page"


@pytest.mark.parametrize(("is_confirmed", "words"), [(True, TOLD), (False, RECEIVED)])
def test_the_page_says_that_the_shop_was_told_only_if_it_is_mailed(paid, is_confirmed, words):
    if not is_confirmed:
        Merchant.objects.filter(pk=paid.merchant_id).update(email_confirmed_at=None)
    shopper = Shopper()
    shopper.visit(f"/receipts/{paid.id}/problem")

    shopper.send(to="", reason="other", text="Where is it?")

    assert words.format(paid.merchant.name) in shopper.text
    assert (planned(), Inquiry.objects.count()) == (int(is_confirmed), 1)
