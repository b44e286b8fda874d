"""A thief of a number pays a willing shop, which names another address: its owner is told."""

import pytest

from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create, test_customer, top_up
from merchants.models import Merchant
from messages.models import Message
from messages.send_loop import send_due_messages
from payments.modes import PaymentMode
from payments.paying import pay
from payments.verification import Verification
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db
OWN, NAMED = "ada@example.com", "thief@example.net"


@pytest.fixture
def owner() -> Customer:
    customer = find_or_create(phone="+12423591234", now=utc_now())
    top_up(customer=customer, amount=4_000, currency="BSD", now=utc_now())
    return customer


def told_of_a_payment(merchant: Merchant, customer: Customer, own: str, named: str) -> list[str]:
    """Pay an invoice; return to whom its receipt goes, in the order in which that was planned."""
    customer.email = own
    customer.save(update_fields=["email"])
    invoice = PaymentFactory(
        merchant=merchant,
        amount=4_000,
        livemode=customer.livemode,
        payment_mode=PaymentMode.INVOICE_PAY,
        due_date=utc_now().date(),
        customer_email=named,
    )
    proof = Verification.PASSKEY
    pay(payment_id=invoice.id, customer=customer, verified=proof, actor="x", now=utc_now())
    receipts = Message.objects.filter(kind="receipt").order_by("pk")
    return list(receipts.values_list("recipient", flat=True))


def test_it_goes_to_the_owner_and_to_whom_the_invoice_names(merchant, owner, mailoutbox):
    assert set(told_of_a_payment(merchant, owner, own=OWN, named=NAMED)) == {OWN, NAMED}

    send_due_messages(now=utc_now())
    assert {sent.to[0] for sent in mailoutbox} == {OWN, NAMED}
    assert len({sent.subject for sent in mailoutbox}) == 1


@pytest.mark.parametrize(
    ("own", "named", "told"),
    [
        (OWN, "", [OWN]),
        ("", NAMED, [NAMED]),
        (OWN, OWN, [OWN]),
        (OWN, OWN.upper(), [OWN]),
        ("", "", []),
    ],
)
def test_one_address_gets_one_receipt(merchant, owner, own, named, told):
    assert told_of_a_payment(merchant, owner, own=own, named=named) == told


def test_the_merchant_of_a_test_gets_one(merchant):
    tester = test_customer("+12425550100", utc_now(), "BSD", merchant_id=merchant.id)

    assert told_of_a_payment(merchant, tester, own=OWN, named=NAMED) == [NAMED]
