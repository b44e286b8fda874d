"""What mails about a payment say, and how often a receipt is sent again."""

import re
from datetime import UTC, date, datetime
from email import message_from_bytes
from email.policy import default

import pytest
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db.models import F
from pytest_django import Settings

from core.clock import utc_now
from customers.models import Customer
from merchants.models import Merchant
from messages.content import content_of
from messages.email import send as send_email
from messages.models import Message
from payments.emails import RECEIPT, content_about, context_of, plan_receipt_again, write
from payments.numbers import number_of
from payments.statuses import PaymentStatus
from tests.factories import PaymentFactory
from tests.payments.journeys import bring_to

pytestmark = pytest.mark.django_db
ADDRESS = "ann@example.com"


def test_the_templates_know_all_of_a_payment(settings: Settings) -> None:
    settings.CHECKOUT_URL = "https://pay.example.com"
    merchant = Merchant(name="Conch\r\n Shack", tax_id="T-1", address="1 Bay Street")
    merchant.time_zone = "America/Nassau"
    payment = PaymentFactory.build(merchant=merchant, id="pay_1", amount=1_500, tip=250)
    payment.due_date, payment.amount_refunded = date(2026, 12, 1), 500
    payment.completed_at = datetime(2026, 3, 18, 15, 4, tzinfo=UTC)

    known = {
        "payment": payment,
        "merchant": "Conch Shack",
        "amount": "B$15.00 BSD",
        "due_date": "1\u00a0Dec\u00a02026",
        "number": "",
        "tip": "B$2.50",
        "refunded": "B$5.00",
        "paid_at": "18\u00a0Mar\u00a02026, 11:04\u00a0am (GMT\u221204:00)",
        "pay_url": "https://pay.example.com/checkout/pay_1",
        "receipt_url": "https://pay.example.com/receipts/pay_1",
        "service_name": "Payments",
    }
    assert context_of(payment) == known
    payment.due_date = payment.completed_at = payment.tip = None
    payment.id = "pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"
    bare = context_of(payment)
    assert [bare[name] for name in ("due_date", "tip", "paid_at")] == [""] * 3
    assert bare["number"] == number_of(payment.id) != ""


def test_an_answer_goes_to_who_helps_the_shops_customers(merchant: Merchant) -> None:
    payment = PaymentFactory(merchant=merchant)
    for address in ("", "help@example.com"):
        merchant.support_email = address
        context = context_of(payment)
        mail = content_about(payment, template="receipt", subject="Receipt", context=context)
        assert mail.reply_to == address


def test_each_mail_is_of_its_own_payment(merchant: Merchant) -> None:
    paid = [bring_to(PaymentFactory(merchant=merchant, amount=amount), PaymentStatus.COMPLETED)
            for amount in (700, 800)]  # fmt: skip
    for payment in paid:
        plan_receipt_again(payment_id=payment.id, recipient=ADDRESS, now=utc_now())

    written = [write(message, utc_now()) for message in Message.objects.order_by("created_at")]

    subjects = [f"[Test] Receipt: B${sum_}.00 BSD paid to {merchant.name}" for sum_ in (7, 8)]
    assert [content and content.subject for content in written] == subjects


@pytest.mark.parametrize("name", ["9 \u05e9\u05dc\u05d5\u05dd", "\u0645\u062a\u062c\u0631 7"])
def test_a_right_to_left_name_leaves_the_amount_beside_it_as_it_is(
    merchant: Merchant, name: str, mailoutbox: list[EmailMessage]
) -> None:
    """Its letters drew the sum and its own digit as one number, in the other order."""
    now = utc_now()
    Merchant.objects.filter(pk=merchant.pk).update(name=name)
    payment = bring_to(PaymentFactory(merchant=merchant, amount=1_250), PaymentStatus.COMPLETED)
    plan_receipt_again(payment_id=payment.id, recipient=ADDRESS, now=now, language="fr")

    [message] = Message.objects.all()
    content = content_of(message, now)
    assert content
    assert content.subject.startswith("[Test] Re\u00e7u")
    assert f"\u2068{name}\u2069" in content.subject
    assert f"\u2068{name}\u2069" in content.text
    send_email(message, content, server=get_connection())
    sent = message_from_bytes(mailoutbox[0].message().as_bytes(), policy=default)
    assert sent["Subject"].strip() == content.subject


def test_a_receipt_that_waits_is_not_doubled_and_one_that_left_is_sent_again(
    merchant: Merchant,
) -> None:
    first, other = (PaymentFactory(merchant=merchant, amount=amount) for amount in (700, 800))
    bring_to(other, PaymentStatus.COMPLETED)
    bring_to(first, PaymentStatus.COMPLETED)
    Customer.objects.update(language="fr")

    def ask(payment_id: str = first.id, recipient: str = ADDRESS, language: str = "") -> list[str]:
        plan_receipt_again(
            payment_id=payment_id, recipient=recipient, now=utc_now(), language=language
        )
        mine = Message.objects.filter(about=first.id, recipient=ADDRESS, kind=RECEIPT)
        return list(mine.order_by("created_at").values_list("language", flat=True))

    def leave(**which: str) -> None:
        Message.objects.filter(**which).update(status="sent", sent_at=utc_now())

    ask(other.id)
    ask(recipient="bo@example.com")
    assert [ask(), ask()] == [["fr"], ["fr"]]
    leave(about=other.id)
    leave(recipient="bo@example.com")
    assert ask() == ["fr"]
    Message.objects.update(kind="invoice", key=F("id"))
    assert ask(language="es") == ["es"]
    leave(kind="invoice")
    assert ask() == ["es"]
    leave()
    assert [ask(), ask()] == [["es", "fr"], ["es", "fr"]]


def test_no_mail_has_a_colour_that_the_dark_would_swallow() -> None:
    """Grey for white paper stood on black, as the mails say that they can be read in the dark."""
    styles = [
        style
        for template in (settings.BASE_DIR / "templates" / "emails").glob("*.html")
        for style in re.findall(r'style="([^"]*)"', template.read_text())
    ]

    assert len(styles) > 10
    own_colours = [style for style in styles if re.search(r"(?:^|;)color:", style)]
    assert [style for style in own_colours if "background:" not in style] == []


def test_a_mail_is_laid_out_as_wide_as_the_telephone(merchant: Merchant) -> None:
    """Without this a telephone lays it out 980 px wide, and shows it at two fifths of its size."""
    payment = PaymentFactory(merchant=merchant)
    html = content_about(payment, template="invoice", subject="", context=context_of(payment)).html

    head = html.partition("</head>")[0]
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in head
