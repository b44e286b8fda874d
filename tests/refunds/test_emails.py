"""The customer is told once that money has come back, by e-mail or else by text message"""

from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from django.core import mail
from django.db import connection

from core.clock import utc_now
from customers.models import Customer
from merchants.models import Merchant
from messages import sms
from messages.errors import Fault, MessageNotSent
from messages.models import Message
from messages.tasks import send_messages
from payments.models import Payment
from refunds.emails import MAILS, TEXTS, TEXTS_OF_ONE_MERCHANT
from refunds.models import Refund
from refunds.tasks import retry_refunds
from tests.factories import MerchantFactory
from tests.payouts.merchant_balance import credit
from tests.refunds.refunding import LIVE_PHONE, refund, sell, sell_live

pytestmark = pytest.mark.django_db
ADDRESS = "ann@example.com"


@pytest.fixture
def sale(merchant):
    """A live payment of 12.50 BSD."""
    return sell_live(merchant, 1_250)


@pytest.fixture
def refunded(api, sale):
    """A live refund of 2.50 BSD, of which the customer was not told yet."""
    refund(api, sale, 250)
    return Refund.objects.get()


def noted():
    return list(Message.objects.order_by("pk").values_list("status", flat=True))


def test_a_text_goes_to_the_phone_once(merchant, refunded, texts):
    assert [send_messages() for _ in range(2)] == [1, 0]

    assert texts.to == [LIVE_PHONE]
    assert texts.texts == [f"{merchant.name} has refunded B$2.50 BSD to your Payments wallet."]
    assert noted() == ["sent"]
    message = Message.objects.get()
    assert (message.about, message.livemode) == (refunded.id, True)
    assert message.sent_at is not None


def test_a_mail_goes_out_instead_where_there_is_an_address(api, merchant, sale, texts):
    Customer.objects.update(email=ADDRESS)
    Merchant.objects.update(support_email="help@shop.example")
    refund(api, sale, 250)

    assert send_messages() == 1

    assert texts.to == []
    message: Any = mail.outbox[0]
    assert (message.to, message.reply_to) == ([ADDRESS], ["help@shop.example"])
    assert message.subject == f"Refund: B$2.50 BSD from {merchant.name}"
    says = f"B$2.50 BSD of your payment {sale.id} is back in your Payments wallet."
    html = message.alternatives[0][0]
    assert says in message.body
    assert says in html
    receipt = f"http://testserver/receipts/{sale.id}"
    assert f"The receipt, always up to date: {receipt}\n" in message.body
    assert f'<a href="{receipt}"' in html


def test_the_address_of_the_invoice_will_do(api, merchant, texts):
    invoice = sell(merchant, 500, payment_mode="INVOICE_PAY", customer_email=ADDRESS)
    Message.objects.all().delete()  # its receipt
    refund(api, invoice)

    assert send_messages() == 1

    assert Message.objects.get().recipient == ADDRESS
    assert f"would have gone to {ADDRESS}" in mail.outbox[0].body


def test_in_test_mode_no_phone_gets_a_text(api, paid, texts):
    refund(api, paid)

    assert send_messages() == 0

    assert (texts.to, noted()) == ([], [])


def test_a_refund_that_waits_is_told_when_it_goes_out(api, merchant, sale, texts):
    credit(merchant, -1_250, livemode=True)
    refund(api, sale)
    assert send_messages() == 0

    credit(merchant, 1_250, livemode=True)
    retry_refunds()
    send_messages()

    assert len(texts.to) == 1


def test_a_refund_that_is_undone_is_not_told(api, sale, monkeypatch, texts):
    def crash(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("refunds.services.emit_all", crash)
    with pytest.raises(KeyboardInterrupt):
        refund(api, sale)

    assert (Refund.objects.count(), noted()) == (0, [])


def test_a_notice_that_cannot_be_sent_is_marked(refunded, monkeypatch):
    def refuse(**options):
        raise MessageNotSent

    monkeypatch.setattr(sms, "send", refuse)

    assert [send_messages() for _ in range(2)] == [0, 0]
    assert noted() == ["failed"]
    assert Message.objects.get().sent_at is None


def test_a_notice_cut_off_by_a_crash_is_not_sent_again(refunded, texts, monkeypatch):
    def crash(**options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sms, "send", crash)
    with pytest.raises(KeyboardInterrupt):
        send_messages()

    monkeypatch.setattr(sms, "send", texts.send)
    assert send_messages() == 0
    assert (texts.to, noted()) == ([], ["sending"])


def test_a_name_cannot_put_a_link_or_a_header_into_a_notice(api, sale, texts):
    Merchant.objects.update(name="Bank\r\nBcc: a@b.example https://evil.example/x")
    refund(api, sale, 250)
    send_messages()
    assert texts.texts[0].startswith("Bank Bcc a b example https evil example has refunded ")

    Customer.objects.update(email=ADDRESS)
    refund(api, sale, 250)
    send_messages()
    assert mail.outbox[0].recipients() == [ADDRESS]
    assert "\n" not in mail.outbox[0].subject


def test_amounts_are_written_as_the_customers_language_does(api, merchant, texts):
    sale = sell_live(merchant, 1_234_567)
    Customer.objects.update(language="es")
    refund(api, sale)

    send_messages()

    assert texts.texts[0].endswith("ha reembolsado B$12,345.67 BSD a su billetera de Payments.")


@pytest.mark.django_db(transaction=True)
def test_nothing_is_held_while_it_is_sent(api, merchant, monkeypatch):
    refund(api, sell_live(merchant, 1_250))
    held = []
    monkeypatch.setattr(sms, "send", lambda **text: held.append(connection.in_atomic_block))

    assert send_messages() == 1

    assert held == [False]


def test_many_refunds_are_not_many_texts(api, sale, texts, monkeypatch):
    """A sale given back cent by cent sent a text for each; a phone bears so many a day."""
    monkeypatch.setattr("refunds.emails.TEXTS", replace(TEXTS, times=2))
    for _ in range(3):
        assert refund(api, sale, 100).status_code == 201
    send_messages()

    assert len(texts.texts) == 2
    assert noted() == ["sent", "sent", "not_needed"]


def test_refunds_of_a_cent_do_not_hide_what_another_merchant_refunds(api, sale, texts):
    """Twenty of them used up the customer's texts of the day, from whichever merchant."""
    for _ in range(TEXTS_OF_ONE_MERCHANT.times + 1):
        assert refund(api, sale, 1).status_code == 201
    send_messages()
    assert texts.to == [LIVE_PHONE] * TEXTS_OF_ONE_MERCHANT.times

    refund(api, sell_live(MerchantFactory(name="Bakery"), 4_900))
    send_messages()

    assert "Bakery has refunded B$49.00" in texts.texts[-1]
    assert TEXTS.times == 2 * TEXTS_OF_ONE_MERCHANT.times, "a second merchant has as many"


def test_the_texts_of_another_phone_are_not_counted(api, merchant, sale, texts, monkeypatch):
    monkeypatch.setattr("refunds.emails.TEXTS", replace(TEXTS, times=1))
    other = sell_live(merchant, 700, phone="+12423591235")
    for each in (sale, other, sale):
        refund(api, each, 100)
    send_messages()

    assert texts.to == [LIVE_PHONE, "+12423591235"]


def test_a_text_that_is_tried_again_is_counted_once(refunded, texts, monkeypatch):
    monkeypatch.setattr("refunds.emails.TEXTS", replace(TEXTS, times=1))
    with monkeypatch.context() as away:
        away.setattr(sms, "send", Mock(side_effect=MessageNotSent(Fault.TEMPORARY)))
        assert send_messages() == 0
    Message.objects.update(due_at=utc_now())

    assert send_messages() == 1


def test_many_refunds_are_not_many_mails_to_an_address_that_the_merchant_names(
    api, merchant, mailoutbox, monkeypatch
):
    """A merchant bills an address, pays that itself, and gives it back cent by cent."""
    monkeypatch.setattr("refunds.emails.MAILS", replace(MAILS, times=2))
    sale = sell_live(merchant, 1_250)
    Payment.objects.update(customer_email="victim@example.com")
    Message.objects.all().delete()
    for _ in range(4):
        assert refund(api, sale, 1).status_code == 201
    send_messages()

    assert [message.to for message in mailoutbox] == [["victim@example.com"]] * 2
    assert noted() == ["sent", "sent", "not_needed", "not_needed"]


def test_test_mails_are_as_many_as_the_merchant_makes(api, merchant, paid, mailoutbox, monkeypatch):
    monkeypatch.setattr("refunds.emails.MAILS", replace(MAILS, times=1))
    Customer.objects.update(email=ADDRESS)
    for _ in range(2):
        refund(api, paid, 1)
    send_messages()

    assert [message.to for message in mailoutbox] == [[merchant.email]] * 2
