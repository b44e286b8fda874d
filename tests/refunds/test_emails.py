"""The customer is told once that money has come back, by e-mail or else by text message"""

from typing import Any

import pytest
from django.core import mail
from django.db import connection

from customers import sms
from customers.models import Customer
from merchants.models import Merchant
from refunds.models import Refund
from refunds.tasks import notify_of_refunds, retry_refunds
from tests.customers.texts import TextBox
from tests.payouts.merchant_balance import credit
from tests.refunds.refunding import LIVE_PHONE, refund, sell, sell_live

pytestmark = pytest.mark.django_db
ADDRESS = "ann@example.com"


@pytest.fixture
def texts(monkeypatch):
    box = TextBox()
    monkeypatch.setattr(sms, "send", box.send)
    return box


@pytest.fixture
def refunded(api, merchant):
    """A live refund of 2.50 BSD, of which the customer was not told yet."""
    refund(api, sell_live(merchant, 1_250), 250)
    return Refund.objects.get()


def noted():
    return list(Refund.objects.order_by("created_at").values_list("notice_status", flat=True))


def test_a_text_goes_to_the_phone_once(merchant, refunded, texts):
    assert [notify_of_refunds() for _ in range(2)] == [1, 0]

    assert texts.to == [LIVE_PHONE]
    assert texts.texts == [f"{merchant.name} has refunded B$2.50 BSD to your Payments wallet."]
    assert noted() == ["sent"]
    assert Refund.objects.get().notified_at is not None


def test_a_mail_goes_out_instead_where_there_is_an_address(merchant, refunded, texts):
    Customer.objects.update(email=ADDRESS)
    Merchant.objects.update(support_email="help@shop.example")

    assert notify_of_refunds() == 1

    assert texts.to == []
    message: Any = mail.outbox[0]
    assert (message.to, message.reply_to) == ([ADDRESS], ["help@shop.example"])
    assert message.subject == f"Refund: B$2.50 BSD from {merchant.name}"
    says = f"B$2.50 BSD of your payment {refunded.payment_id} is back in your Payments wallet."
    assert says in message.body
    assert says in message.alternatives[0][0]


def test_the_address_of_the_invoice_will_do(api, merchant, texts):
    invoice = sell(merchant, 500, payment_mode="INVOICE_PAY", customer_email=ADDRESS)
    refund(api, invoice)

    assert notify_of_refunds() == 1

    assert [message.to for message in mail.outbox] == [[ADDRESS]]


def test_in_test_mode_no_phone_gets_a_text(api, paid, texts):
    refund(api, paid)

    assert notify_of_refunds() == 0

    assert (texts.to, noted()) == ([], ["not_needed"])


def test_a_refund_that_waits_is_told_when_it_goes_out(api, merchant, texts):
    sale = sell_live(merchant, 1_250)
    credit(merchant, -1_250, livemode=True)
    refund(api, sale)
    assert notify_of_refunds() == 0

    credit(merchant, 1_250, livemode=True)
    retry_refunds()
    notify_of_refunds()

    assert len(texts.to) == 1


@pytest.mark.parametrize("refused", [ConnectionRefusedError("mail"), sms.SmsNotSent()])
def test_a_notice_that_cannot_be_sent_is_marked(refunded, monkeypatch, refused):
    def refuse(**options):
        raise refused

    monkeypatch.setattr(sms, "send", refuse)

    assert [notify_of_refunds() for _ in range(2)] == [0, 0]
    assert noted() == ["failed"]
    assert Refund.objects.get().notified_at is None


def test_a_notice_cut_off_by_a_crash_is_not_sent_again(refunded, texts, monkeypatch):
    def crash(**options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sms, "send", crash)
    with pytest.raises(KeyboardInterrupt):
        notify_of_refunds()

    monkeypatch.setattr(sms, "send", texts.send)
    assert notify_of_refunds() == 0
    assert (texts.to, noted()) == ([], ["sending"])


def test_a_name_cannot_put_a_link_or_a_header_into_a_notice(refunded, texts):
    Merchant.objects.update(name="Bank\r\nBcc: a@b.example https://evil.example/x")
    notify_of_refunds()
    assert texts.texts[0].startswith("Bank Bcc a b. example https evil. exampl has refunded ")

    Refund.objects.update(notice_status="due")
    Customer.objects.update(email=ADDRESS)
    notify_of_refunds()
    assert mail.outbox[0].recipients() == [ADDRESS]
    assert "\n" not in mail.outbox[0].subject


def test_amounts_are_written_as_the_customers_language_does(refunded, texts):
    Refund.objects.update(amount=1_234_567)
    Customer.objects.update(language="es")

    notify_of_refunds()

    assert texts.texts[0].endswith("ha devuelto B$12,345.67 BSD a su monedero de Payments.")


@pytest.mark.django_db(transaction=True)
def test_nothing_is_held_while_it_is_sent(api, merchant, monkeypatch):
    refund(api, sell_live(merchant, 1_250))
    held = []
    monkeypatch.setattr(sms, "send", lambda **text: held.append(connection.in_atomic_block))

    assert notify_of_refunds() == 1

    assert held == [False]
