"""Money that is added for a payment, and comes otherwise than asked for: none is lost"""

from datetime import timedelta

import pytest

from checkout.payment_view import payment_view_of
from core.clock import utc_now
from customers.models import Customer
from customers.services import freeze, unfreeze
from funding.bank_transfers import credit_by_hand
from funding.models import TopUp
from funding.tasks import collect_top_ups, expire_top_ups
from ledger.models import Transfer, TransferKind
from messages.models import Message
from payments.models import Payment
from payouts.models import BankEntry
from tests.checkout.shopper import Shopper, signed_in_at
from tests.client import Api
from tests.funding.money_in import (
    POOR,
    booked,
    customer_with,
    held,
    notified,
    short_of_money,
    transfer,
)
from tests.ledger.funding import problems
from tests.wild_ticks import off_by

pytestmark = pytest.mark.django_db
STAFF = "staff:ann"


@pytest.fixture
def customer() -> Customer:
    return customer_with(40)


@pytest.fixture
def payment(payment_of, customer) -> Payment:
    return payment_of(150)


@pytest.fixture
def shopper(payment: Payment) -> Shopper:
    """Someone with 0.40 who has asked to add 1.10 by a transfer, and has pressed Pay before."""
    shopper = short_of_money(payment)
    shopper.send(to="/pay")
    assert "Add B$1.10" in shopper.text
    shopper.send(way="bank_transfer")
    return shopper


@pytest.fixture
def top_up(shopper: Shopper) -> TopUp:
    return TopUp.objects.get()


@pytest.fixture(autouse=True)
def nothing_is_lost():
    yield
    assert problems() == []


def receive_transfer(amount: int, reference: str, number: int = 1) -> None:
    """Let the bank tell of money, and the periodic work go on with what it was for."""
    name = f"M-{number}"
    line = transfer(amount, reference, reference=f"IN {number}")
    booked(line, livemode=False, message_id=name, number=name)
    collect_top_ups()


def outcome(payment: Payment) -> tuple[str, int]:
    """Return what became of the payment, and how often it was paid."""
    payment.refresh_from_db()
    paid = Transfer.objects.filter(kind=TransferKind.PAYMENT, reference=payment.pk)
    return payment.status, paid.count()


def told() -> list[str]:
    return list(Message.objects.filter(kind="top_up").order_by("pk").values_list("text", flat=True))


def test_too_little_is_kept_and_the_rest_can_be_added(payment, customer, shopper, top_up) -> None:
    receive_transfer(60, top_up.reference)

    assert (outcome(payment), held(customer)) == (("pending", 0), 100)
    [text] = told()
    assert "B$0.60 BSD was added" in text
    assert "is not paid yet" in text

    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    assert "Add B$0.50" in shopper.text
    shopper.send(way="bank_transfer")
    receive_transfer(50, TopUp.objects.latest("pk").reference, number=2)

    assert (outcome(payment), held(customer)) == (("completed", 1), 0)


def test_of_too_much_the_rest_is_the_customers(payment, customer, top_up) -> None:
    receive_transfer(500, top_up.reference)

    assert (outcome(payment), held(customer)) == (("completed", 1), 390)
    [text] = told()
    assert "B$5.00 BSD was added" in text
    assert "B$1.50" in text


def test_what_comes_twice_pays_once_and_waits(payment, customer, top_up) -> None:
    receive_transfer(110, top_up.reference)
    receive_transfer(110, top_up.reference, number=2)
    notified(transfer(110, top_up.reference, reference="IN 2"), livemode=False)
    collect_top_ups()

    assert (outcome(payment), held(customer)) == (("completed", 1), 0)
    waiting = BankEntry.objects.unmatched()
    [problem] = {entry.problem for entry in waiting}
    assert problem == "Money with this reference has already come in."
    assert len(told()) == 1


def test_what_comes_after_its_time_is_the_customers(payment, customer, top_up) -> None:
    with off_by(timedelta(days=31)):
        assert expire_top_ups() == 1
        receive_transfer(110, top_up.reference)

        assert (outcome(payment)[1], held(customer)) == (0, 150)
        assert payment.status_at(utc_now()) == "expired"
    [text] = told()
    assert "B$1.10 BSD was added" in text
    assert "The payment of B$1.50 BSD to" in text
    assert "had expired before it arrived" in text
    assert "paid" not in text


def test_the_pages_say_until_when_a_transfer_pays(payment, customer) -> None:
    shopper = short_of_money(payment)
    shopper.send(to="/pay")
    until = payment_view_of(payment, now=utc_now()).until
    words = f"must arrive by {until}. Money that arrives later stays in your wallet."
    assert words in shopper.text

    shopper.send(way="bank_transfer")

    assert words in shopper.text


def test_a_payment_without_an_end_says_nothing_of_it(payment, customer) -> None:
    Payment.objects.filter(pk=payment.pk).update(expires_at=None)
    shopper = short_of_money(payment)
    shopper.send(to="/pay")

    assert "A bank transfer takes" not in shopper.text


def test_someone_else_has_paid_meanwhile(payment, customer, top_up) -> None:
    other = signed_in_at(payment)
    other.send(to="/pay")
    assert "<h1>Paid</h1>" in other.text
    assert outcome(payment) == ("completed", 1)

    receive_transfer(110, top_up.reference)

    assert (outcome(payment), held(customer)) == (("completed", 1), 150)
    [text] = told()
    assert "paid" not in text


def test_the_merchant_has_canceled_it(api: Api, payment, customer, top_up) -> None:
    answer = api(payment.merchant).post(f"/v1/payments/{payment.pk}/cancel")
    assert answer.status_code == 200

    receive_transfer(110, top_up.reference)

    assert (outcome(payment), held(customer)) == (("canceled", 0), 150)
    [text] = told()
    assert "paid" not in text


def test_two_ways_in_two_tabs_pay_once(payment, customer) -> None:
    first, second = short_of_money(payment), short_of_money(payment)
    for tab in (first, second):
        tab.send(to="/pay")
    first.send(way="bank_transfer")
    second.send(way="simulated")
    by_bank = TopUp.objects.get(way="bank_transfer")

    with off_by(timedelta(seconds=3)):
        collect_top_ups()
    receive_transfer(110, by_bank.reference)

    assert (outcome(payment), held(customer)) == (("completed", 1), 110)
    assert len(told()) == 2


def test_a_wrong_reference_waits_until_a_person_says_whose_it_is(payment, customer, top_up) -> None:
    receive_transfer(110, f"{top_up.reference[:-1]}{(int(top_up.reference[-1], 36) + 1) % 10}")
    assert (outcome(payment), held(customer), told()) == (("pending", 0), 40, [])

    waiting = BankEntry.objects.unmatched().get()
    credit_by_hand(
        entry_id=waiting.pk,
        customer_id=customer.pk,
        top_up_id=top_up.pk,
        actor=STAFF,
        now=utc_now(),
    )
    collect_top_ups()

    assert (outcome(payment), held(customer)) == (("completed", 1), 0)


def test_a_frozen_customer_keeps_the_money_and_pays_nothing(payment, customer, top_up) -> None:
    freeze(customer_id=customer.pk, actor=STAFF, now=utc_now())

    receive_transfer(110, top_up.reference)

    assert (outcome(payment), held(customer)) == (("pending", 0), 150)
    [text] = told()
    assert "is not paid yet" in text
    unfreeze(customer_id=customer.pk, actor=STAFF, now=utc_now())
    again = signed_in_at(payment, POOR)
    again.send(to="/pay")
    assert "<h1>Paid</h1>" in again.text
    assert (outcome(payment), held(customer)) == (("completed", 1), 0)


def test_it_is_not_paid_by_itself_for_something_else(api: Api, payment, customer, top_up) -> None:
    """The money is on its way for days, and the shop may change what the payment is for."""
    path = f"/v1/payments/{payment.pk}"
    assert api(payment.merchant).patch(path, {"description": "A box"}).status_code == 200

    receive_transfer(110, top_up.reference)

    assert (outcome(payment), held(customer)) == (("pending", 0), 150)
    assert "is not paid yet" in told()[0]
