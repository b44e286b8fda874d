"""E-mails of test mode: no address that a stranger names gets one."""

import re
from datetime import datetime, timedelta
from smtplib import SMTPDataError

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from pytest_django import Settings

from core.clock import utc_now
from core.models import Quota
from merchants.models import Merchant
from messages.models import Channel, Message
from messages.redirection import CONSOLE_BACKEND
from messages.send_loop import send_due_messages
from tests.client import Api
from tests.customers.texts import TextBox
from tests.messages.conftest import PHONE, plan

pytestmark = pytest.mark.django_db
VICTIM = "victim@example.com"
INVOICE = {"payment_mode": "INVOICE_PAY", "amount": 12_500, "customer_email": VICTIM}


def busy(*_: object) -> int:
    raise SMTPDataError(452, b"Too busy")


def sent_to() -> list[list[str]]:
    return [message.to for message in mail.outbox]


def test_a_test_invoice_goes_to_the_merchant_who_tests(api: Api, merchant: Merchant) -> None:
    api(merchant).post("/v1/payments", INVOICE)

    send_due_messages(now=utc_now())

    assert sent_to() == [[merchant.email]]
    message = mail.outbox[0]
    assert isinstance(message, EmailMultiAlternatives)
    notice = f"Test mode: this e-mail would have gone to {VICTIM}."
    assert str(message.body).startswith(notice)
    assert f"<p>{notice}" in str(message.alternatives[0][0])


def test_a_merchant_who_has_confirmed_nothing_writes_to_no_one(
    api: Api, merchant: Merchant
) -> None:
    Merchant.objects.update(email=VICTIM, email_confirmed_at=None)
    api(merchant).post("/v1/payments", INVOICE)

    send_due_messages(now=utc_now())

    assert sent_to() == []
    invoice = Message.objects.get(kind="invoice")
    assert invoice.status == "not_needed"
    assert invoice.last_error.startswith("Unconfirmed")


def test_no_more_than_a_hundred_tests_a_day_are_mailed(api: Api, merchant: Merchant) -> None:
    """Who has confirmed an address for a stranger would get the stranger's words without end."""
    Quota.objects.create(
        key=f"test-mail:{merchant.id}", used=99, ends_at=utc_now() + timedelta(hours=1)
    )
    for _ in range(2):
        assert api(merchant).post("/v1/payments", INVOICE).status_code == 201

    send_due_messages(now=utc_now())

    assert sent_to() == [[merchant.email]]
    refused = Message.objects.get(kind="invoice", status="not_needed")
    assert refused.last_error == "Too many: 100 e-mails of tests a day are sent."


def test_a_mail_that_is_tried_again_counts_once(now: datetime, merchant: Merchant) -> None:
    plan(now, livemode=False, merchant_id=merchant.id)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EmailBackend, "send_messages", busy)
        send_due_messages(now=now)

    assert send_due_messages(now=now + timedelta(minutes=1)) == 1
    assert Quota.objects.get(key=f"test-mail:{merchant.id}").used == 1


def test_its_reader_ends_the_mails_of_a_merchant_that_is_not_theirs(
    api: Api, merchant: Merchant, client: Client
) -> None:
    api(merchant).post("/v1/payments", INVOICE | {"customer_email": merchant.email})
    send_due_messages(now=utc_now())
    found = re.search(r"(/confirm-email\?stop=\S+)", str(mail.outbox[0].body))
    assert found
    link = found[1]

    assert merchant.id in client.get(link).content.decode()
    confirmed = Merchant.objects.exclude(email_confirmed_at=None)
    assert confirmed.exists()  # a scanner that opens it has ended nothing
    assert client.get(link.replace("stop", "token")).status_code == 400
    for _ in range(2):
        assert client.post(link).status_code == 200

    api(merchant).post("/v1/payments", INVOICE)
    send_due_messages(now=utc_now())
    assert sent_to() == [[merchant.email]]
    assert not confirmed.exists()
    assert client.post(f"{link}x").status_code == 400


def test_without_a_key_no_one_is_written_to_either(
    api: Api, merchant: Merchant, development: None
) -> None:
    api(None).post("/v1/payments", INVOICE | {"merchant_id": merchant.id})

    send_due_messages(now=utc_now())

    assert sent_to() == [[merchant.email]]


def test_a_live_invoice_goes_to_the_customer(api: Api, merchant: Merchant) -> None:
    api(merchant, live=True).post("/v1/payments", INVOICE)

    send_due_messages(now=utc_now())

    assert sent_to() == [[VICTIM]]


def test_a_test_mail_of_no_merchant_is_dropped(now: datetime) -> None:
    plan(now, livemode=False)

    assert send_due_messages(now=now) == 0
    assert Message.objects.get().status == "not_needed"


def test_no_text_leaves_in_test_mode(now: datetime, texts: TextBox) -> None:
    plan(now, livemode=False, channel=Channel.SMS, recipient=PHONE)

    assert send_due_messages(now=now) == 0
    assert texts.to == []


def test_the_console_of_development_shows_it_as_it_would_be(
    api: Api, merchant: Merchant, development: None, settings: Settings, capsys
) -> None:
    settings.EMAIL_BACKEND = CONSOLE_BACKEND
    Merchant.objects.update(email_confirmed_at=None)
    api(merchant).post("/v1/payments", INVOICE)

    send_due_messages(now=utc_now())

    printed = capsys.readouterr().out
    assert f"E-mail to {VICTIM}" in printed
    assert "would have gone" not in printed


def test_in_production_the_console_shows_no_one_else_either(
    api: Api, merchant: Merchant, settings: Settings, capsys
) -> None:
    settings.EMAIL_BACKEND = CONSOLE_BACKEND
    api(merchant).post("/v1/payments", INVOICE)

    send_due_messages(now=utc_now())

    assert f"E-mail to {merchant.email}" in capsys.readouterr().out
