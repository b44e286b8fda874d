"""Receipts by e-mail leave from a page that anyone may open, to any address."""

from dataclasses import replace

import pytest

from checkout import receipts
from core.clock import utc_now
from core.errors import RateLimited
from merchants.models import Merchant
from messages.models import Message
from payments.emails import plan_receipt_again, write
from payments.models import Payment
from tests.checkout.shopper import Shopper
from tests.client import Api
from tests.factories import PaymentFactory
from tests.refunds.refunding import refund, sell

pytestmark = pytest.mark.django_db


def test_many_payments_are_not_many_mails_to_one_address(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Payments of a cent cost nothing, and each could send five mails to a stranger."""
    monkeypatch.setattr(receipts, "MAILS_TO_ONE", replace(receipts.MAILS_TO_ONE, times=2))
    shopper = Shopper()
    answers = []
    for address in ("Ann@example.com", "ann+more@example.com", "ann+again@example.com"):
        shopper.visit(f"/receipts/{sell(merchant, 1).id}")
        answers.append(shopper.send(email=address).status_code)

    assert answers == [200, 200, 422]
    assert Message.objects.filter(recipient__endswith="@example.com").count() == 2


@pytest.mark.parametrize("address", ["root@localhost", "ann@[127.0.0.1]"])
def test_no_mail_goes_to_an_inner_host(merchant: Merchant, address: str) -> None:
    shopper = Shopper()
    shopper.visit(f"/receipts/{sell(merchant, 1).id}")
    shopper.send(email=address)

    assert "Enter an e-mail address such as" in shopper.text
    assert not Message.objects.exists()


@pytest.mark.parametrize("form", [".pdf", ".json", "/proof"])
def test_only_the_page_of_a_receipt_sends_it(merchant: Merchant, form: str) -> None:
    payment, shopper = sell(merchant, 1), Shopper()
    shopper.visit(f"/receipts/{payment.id}")
    fields = shopper.form().fields | {"email": "ann@example.com"}

    refused = shopper.client.post(f"/receipts/{payment.id}{form}", fields, follow=True)
    assert refused.status_code == 405
    assert not Message.objects.exists()


def test_what_a_payment_may_not_send_leaves_the_address_its_mails(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asked again and again for one receipt kept every other from the address for a day."""
    monkeypatch.setattr(receipts, "MAILS", replace(receipts.MAILS, times=1))
    monkeypatch.setattr(receipts, "MAILS_TO_ONE", replace(receipts.MAILS_TO_ONE, times=2))
    shopper = Shopper()
    asked, other = sell(merchant, 1), sell(merchant, 1)
    answers = []
    for payment in (asked, asked, asked, other):
        shopper.visit(f"/receipts/{payment.id}")
        answers.append(shopper.send(email="ann@example.com").status_code)

    assert answers == [200, 422, 422, 200]


@pytest.fixture
def few_mails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipts, "MAILS", replace(receipts.MAILS, times=2))
    monkeypatch.setattr(receipts, "MAILS_TO_ONE", replace(receipts.MAILS_TO_ONE, times=1))


def ask(shopper: Shopper, payment: Payment, email: str) -> int:
    """Ask for a receipt by mail; return the status of the page that says what became of it."""
    shopper.visit(f"/receipts/{payment.id}")
    return shopper.send(email=email).status_code


@pytest.mark.usefixtures("few_mails")
def test_an_address_that_has_had_its_mails_spends_none_of_the_payments(merchant: Merchant) -> None:
    """Refused for the address, each attempt was counted for the payment all the same."""
    visitor, other, paid = Shopper(), sell(merchant, 1), sell(merchant, 1)
    assert ask(visitor, other, "full@example.com") == 200

    refused = [ask(visitor, paid, "full@example.com") for _ in range(3)]

    assert refused == [422] * 3
    assert ask(visitor, paid, "ann@example.com") == 200


@pytest.mark.usefixtures("few_mails")
def test_visitors_do_not_use_up_the_mails_of_the_customer_who_paid(merchant: Merchant) -> None:
    """Anyone with the address of the receipt could spend the day's five, and the address's own."""
    visitor, customer, paid = Shopper(), Shopper(), sell(merchant, 1)
    customer.visit(PaymentFactory(merchant=merchant, created_at=utc_now()).hosted_url)
    customer.sign_in()
    spent = [ask(visitor, paid, f"{name}@example.com") for name in ("ann", "b", "c")]
    assert spent == [200, 200, 422]

    answers = [ask(customer, paid, "ann@example.com") for _ in range(2)]

    assert answers == [200, 422]


@pytest.mark.usefixtures("few_mails")
def test_who_pays_spends_no_mails_of_another_who_paid(merchant: Merchant) -> None:
    """With cheap payments of their own, a stranger used up the mails of every payer."""
    customer, paid = Shopper(), sell(merchant, 1)
    customer.visit(PaymentFactory(merchant=merchant, created_at=utc_now()).hosted_url)
    customer.sign_in()
    mail_as_payer(merchant, "+12425550177")

    assert ask(customer, paid, "ann@example.com") == 200


def test_payers_together_send_one_address_so_many(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipts, "MAILS_OF_PAYERS", replace(receipts.MAILS_OF_PAYERS, times=1))
    mail_as_payer(merchant, "+12425550177")

    with pytest.raises(RateLimited):
        mail_as_payer(merchant, "+12425550178")


def mail_as_payer(merchant: Merchant, phone: str) -> None:
    """Have a receipt mailed to Ann by the customer who has just paid."""
    receipts.mail_receipt(
        payment=sell(merchant, 1, phone=phone),
        email="ann@example.com",
        language="",
        is_payer=True,
        now=utc_now(),
    )


@pytest.mark.parametrize(
    ("amount", "said"), [(200, "Paid, partly refunded: B$2.00."), (500, "Refunded in full.")]
)
def test_a_receipt_sent_after_a_refund_says_so(
    api: Api, merchant: Merchant, amount: int, said: str
) -> None:
    payment = sell(merchant, 500)
    refund(api, payment, amount)
    plan_receipt_again(payment_id=payment.id, recipient="ann@example.com", now=utc_now())

    mail = write(Message.objects.get(recipient="ann@example.com"), utc_now())
    assert mail is not None
    assert said in mail.text
    assert said in mail.html


def test_a_day_to_wait_is_said_in_hours(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipts, "MAILS", replace(receipts.MAILS, times=0))
    shopper = Shopper()
    shopper.visit(f"/receipts/{sell(merchant, 1).id}")
    shopper.send(email="ann@example.com")

    assert "Too many attempts. Try again in 24 hours." in shopper.text
