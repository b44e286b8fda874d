"""The mails of invoices and receipts: planned with the facts, sent once, not when needless."""

from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.utils import translation
from pytest_django import Settings

from core.clock import utc_now
from core.formats import moment_of, money_and_code
from core.instants import today_in
from customers.models import Customer
from customers.services import test_customer
from merchants.models import Merchant
from messages.models import Message
from messages.send_loop import send_due_messages
from payments.emails import RECEIPT, content_about, context_of, plan_receipt_again
from payments.errors import PaymentNotCompleted
from payments.models import Payment
from tests.client import Api

pytestmark = pytest.mark.django_db
ADDRESS = "customer@example.com"
LONG_AFTER = timedelta(days=365)


@pytest.fixture
def invoice(api: Api, merchant: Merchant) -> Payment:
    due = today_in(merchant.time_zone, utc_now()) + timedelta(days=10)
    body = {
        "payment_mode": "INVOICE_PAY",
        "amount": 12_500,
        "customer_email": ADDRESS,
        "due_date": due.isoformat(),
        "invoice_number": "I-7",
    }
    return Payment.objects.get(pk=api(merchant).post("/v1/payments", body).json()["id"])


def plan() -> list[tuple[str, str]]:
    return list(Message.objects.order_by("due_at").values_list("kind", "status"))


def subjects() -> list[str]:
    return [str(message.subject) for message in mail.outbox]


def due_of(kind: str) -> datetime:
    return Message.objects.get(kind=kind).due_at


def test_a_merchant_sends_a_limited_number_of_live_invoices(
    api: Api, merchant: Merchant, settings: Settings
) -> None:
    settings.INVOICES_PER_MERCHANT = 3
    body = {"payment_mode": "INVOICE_PAY", "amount": 100, "invoice_number": "I-8"}

    answers = [
        api(merchant, live=True).post(
            "/v1/payments", body | {"customer_email": f"{number}@example.com"}
        )
        for number in range(4)
    ]

    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
    assert answers[-1].json()["code"] == "RATE_LIMITED"
    assert 86_340 <= int(answers[-1]["Retry-After"]) <= 86_400
    assert Payment.objects.count() == 3


def test_an_address_gets_at_most_twenty_invoices_a_day_from_one_merchant(
    api: Api, merchant: Merchant
) -> None:
    body = {"payment_mode": "INVOICE_PAY", "amount": 100, "customer_email": ADDRESS}

    answers = [
        api(merchant, live=True).post("/v1/payments", body | {"customer_email": written})
        for written in [ADDRESS, ADDRESS.upper().replace("@", "+x@")] * 10 + [ADDRESS]
    ]

    assert [answer.status_code for answer in answers] == [201] * 20 + [429]
    body |= {"customer_email": "another@example.com"}
    assert api(merchant, live=True).post("/v1/payments", body).status_code == 201


@pytest.mark.usefixtures("invoice")
def test_an_invoice_plans_three_mails() -> None:
    assert plan() == [("invoice", "planned"), ("reminder", "planned"), ("due", "planned")]
    assert due_of("due") - due_of("reminder") == timedelta(days=3)


def test_each_goes_out_once_when_it_is_due(merchant: Merchant, invoice: Payment) -> None:
    assert [send_due_messages(now=utc_now()) for _ in range(2)] == [1, 0]
    assert subjects() == [f"[Test] Invoice from {merchant.name}: B$125.00 BSD"]
    message = mail.outbox[0]
    assert message.to == [merchant.email]
    assert invoice.hosted_url in str(message.body)
    assert isinstance(message, EmailMultiAlternatives)
    html = message.alternatives[0]
    assert invoice.hosted_url in str(html[0])
    assert html[1] == "text/html"

    assert send_due_messages(now=due_of("reminder")) == 1
    assert send_due_messages(now=due_of("due")) == 1
    assert [subject.split(":")[0] for subject in subjects()[1:]] == [
        "[Test] Reminder",
        "[Test] Due today",
    ]
    assert [status for _, status in plan()] == ["sent"] * 3


def test_a_paid_invoice_gets_its_receipt_and_no_reminder(
    api: Api, merchant: Merchant, invoice: Payment
) -> None:
    send_due_messages(now=utc_now())
    assert api(merchant).post(f"/v1/payments/{invoice.id}/confirm").status_code == 200

    send_due_messages(now=utc_now() + LONG_AFTER)

    assert subjects()[1:] == [f"[Test] Receipt: B$125.00 BSD paid to {merchant.name}"]
    assert dict(plan()) == {
        "invoice": "sent",
        "reminder": "not_needed",
        "due": "not_needed",
        "receipt": "sent",
    }


def test_a_name_cannot_add_a_header(api: Api, merchant: Merchant) -> None:
    merchant.name = "Shop\r\nBcc: everyone@example.com"
    merchant.save()
    body = {"payment_mode": "INVOICE_PAY", "amount": 1, "customer_email": ADDRESS}
    api(merchant).post("/v1/payments", body)

    send_due_messages(now=utc_now())

    assert subjects() == ["[Test] Invoice from Shop Bcc: everyone@example.com: B$0.01 BSD"]
    assert mail.outbox[0].recipients() == [merchant.email]


def refuse(*args: object, **options: object) -> int:
    raise ConnectionResetError


def test_a_mail_that_was_perhaps_sent_is_not_sent_again(
    invoice: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)

    assert send_due_messages(now=utc_now()) == 0
    assert plan()[0] == ("invoice", "failed")


def test_mails_wait_for_a_server_that_is_away(
    invoice: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as away:
        away.setattr("django.core.mail.backends.locmem.EmailBackend.open", refuse)
        assert send_due_messages(now=utc_now()) == 0
        assert plan()[0] == ("invoice", "planned")

    assert send_due_messages(now=utc_now()) == 0
    assert send_due_messages(now=utc_now() + timedelta(seconds=5)) == 1
    assert plan()[0] == ("invoice", "sent")


def test_the_server_is_not_called_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.open", refuse)
    monkeypatch.setattr("messages.send_loop.logger.warning", pytest.fail)
    assert send_due_messages(now=utc_now()) == 0


def test_a_crash_loses_no_more_than_one_mail(
    api: Api, merchant: Merchant, invoice: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"payment_mode": "INVOICE_PAY", "amount": 1, "customer_email": ADDRESS}
    api(merchant).post("/v1/payments", body)

    def crash(*args: object) -> int:
        raise SystemExit

    with monkeypatch.context() as once:
        once.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", crash)
        with pytest.raises(SystemExit):
            send_due_messages(now=utc_now())

    assert send_due_messages(now=utc_now()) == 1


@pytest.mark.usefixtures("invoice")
def test_without_an_address_there_is_no_mail(api: Api, merchant: Merchant) -> None:
    before = Message.objects.count()
    api(merchant).post("/v1/payments", {"payment_mode": "INVOICE_PAY", "amount": 1})
    assert Message.objects.count() == before


@pytest.mark.parametrize("livemode", [False, True])
def test_what_is_only_a_test_says_so_first(invoice: Payment, *, livemode: bool) -> None:
    invoice.livemode = livemode
    content = content_about(
        invoice, template="receipt", subject="Receipt", context=context_of(invoice)
    )

    marks = ["Test: no money moves" in text for text in (content.text, content.html)]
    assert marks == [not livemode] * 2
    assert content.subject == ("Receipt" if livemode else "[Test] Receipt")


def test_a_receipt_names_its_tip(invoice: Payment) -> None:
    invoice.tip = 250
    content = content_about(invoice, template="receipt", subject="", context=context_of(invoice))

    assert "Tip included: B$2.50." in content.text


def test_what_is_not_paid_has_no_receipt_to_send_again(invoice: Payment) -> None:
    with pytest.raises(PaymentNotCompleted):
        plan_receipt_again(payment_id=invoice.id, recipient=ADDRESS, now=utc_now())

    assert not Message.objects.filter(kind=RECEIPT).exists()


@pytest.mark.parametrize("language", ["es", "fr", "ht"])
def test_a_mail_speaks_its_readers_language(
    api: Api, merchant: Merchant, invoice: Payment, language: str
) -> None:
    Customer.objects.update(language=language)
    api(merchant).post(f"/v1/payments/{invoice.id}/confirm")
    Message.objects.update(language=language)

    send_due_messages(now=utc_now())
    translated = mail.outbox.pop()
    Message.objects.filter(kind=RECEIPT).update(status="planned", sent_at=None, language="")
    send_due_messages(now=utc_now())
    english = mail.outbox.pop()

    assert f'<html lang="{language}">' in html_of(translated)
    with translation.override(language):
        amount = money_and_code(12_500, "BSD")
        paid_at = moment_of(due_of(RECEIPT), merchant.time_zone)
    for text in (str(translated.subject), translated.body, html_of(translated)):
        assert amount in text
    assert paid_at in translated.body
    lines = set(str(translated.body).splitlines()) & set(str(english.body).splitlines())
    assert all(line == "" or line.startswith(("http", "Test mode: ")) for line in lines)


def test_the_receipt_of_a_customer_is_in_their_language(api: Api, merchant: Merchant) -> None:
    test_customer(None, utc_now(), merchant_id=merchant.id)
    Customer.objects.update(email=ADDRESS, language="fr")
    created = api(merchant).post("/v1/payments", {"amount": 150}).json()
    api(merchant).post(f"/v1/payments/{created['id']}/confirm")

    email = Message.objects.get()
    assert (email.kind, email.recipient, email.language) == ("receipt", ADDRESS, "fr")


def html_of(message: EmailMessage) -> str:
    assert isinstance(message, EmailMultiAlternatives)
    return str(message.alternatives[0][0])
