"""The messages that asked a person to pay are theirs, though they never opened the payment."""

import json

import pytest

from backoffice.models import Instruction
from backoffice.roles import Role
from backoffice.services.personal_data import messages_to
from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create
from merchants.models import Merchant
from merchants.owner_notices import tell_owner
from messages.models import Channel, Message, MessageStatus
from messages.planning import plan_message
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment
from tests.client import Api
from tests.factories import CustomerFactory, PaymentFactory
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db
PHONE, EMAIL, REASON = "+12423591234", "ada@example.com", "Letter of 3 March"


def plan(shop: Merchant, phone: str, *, livemode: bool = False) -> None:
    plan_message(
        channel=Channel.SMS,
        kind="pay_request",
        recipient=phone,
        about=shop.pk,
        merchant_id=shop.pk,
        livemode=livemode,
        text=f"Pay {shop.pk}" + (" for real" if livemode else ""),
        now=utc_now(),
    )


@pytest.fixture
def asked_to_pay(merchant: Merchant, api: Api, office: Office) -> Customer:
    """A person whom a merchant and staff have asked to pay what they never opened."""
    person = find_or_create(phone=PHONE, now=utc_now())
    Customer.objects.update(email=EMAIL)
    shop = api(merchant, live=True)
    link = shop.post("/v1/payment-links", {"amount": 500}).json()
    payment = PaymentFactory(merchant=merchant, livemode=True)
    for path in (f"/v1/payment-links/{link['id']}/send", f"/v1/payments/{payment.id}/send"):
        assert shop.post(path, {"phone": PHONE}).status_code == 200
    for recipient in (PHONE, EMAIL.upper()):
        values = {"mode": "live", "amount": "5.00", "recipient": recipient}
        assert act(office(Role.SUPPORT), merchant, "send-link", **values).status_code == 302
    return person


def test_what_asked_the_person_to_pay_is_handed_out(office: Office, asked_to_pay: Customer) -> None:
    known = json.loads(
        act(office(Role.FINANCE), asked_to_pay, "export-data", reason=REASON).content
    )

    sent = [(row["kind"], row["recipient"]) for row in known["messages"]]
    assert sent.count(("pay_request", PHONE)) == 2
    assert sent.count(("payment_link", PHONE)) == 1
    assert sent.count(("payment_link", EMAIL.upper())) == 1
    assert len({row["text"] for row in known["messages"] if row["recipient"] == PHONE}) == 3


def test_what_asked_the_person_to_pay_is_erased_and_what_others_wait_for_is_not(
    office: Office, asked_to_pay: Customer, merchant: Merchant
) -> None:
    """Their address may be a merchant's as well, and a test is no person's."""
    Merchant.objects.update(email=EMAIL)
    merchant.refresh_from_db()
    tell_owner(merchant, kind="api_key", subject="a key", text="New", now=utc_now())
    plan(merchant, PHONE)

    act(office(Role.FINANCE, "ida"), asked_to_pay, "erase", reason=REASON)
    instruction = Instruction.objects.get(task="erase_customer")
    act(office(Role.FINANCE, "otto"), instruction, "approve", note="Checked the letter")

    left = Message.objects.values_list("kind", "recipient", "livemode")
    assert sorted(left) == [("api_key", EMAIL, True), ("pay_request", PHONE, False)]


@pytest.mark.each_on_postgres(ITS_OWN)
def test_neither_anothers_tests_nor_a_persons_messages_are_handed_out_with_a_test(
    office: Office, stranger: Merchant, merchant: Merchant
) -> None:
    tester = CustomerFactory(merchant=merchant)
    for shop in (merchant, stranger):
        plan(shop, tester.phone)
    plan(merchant, tester.phone, livemode=True)

    known = json.loads(act(office(Role.FINANCE), tester, "export-data", reason=REASON).content)

    assert [row["text"] for row in known["messages"]] == [f"Pay {merchant.pk}"]


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize("is_shared", [True, False])
def test_what_is_anothers_at_a_shared_address_is_left(
    merchant: Merchant, stranger: Merchant, is_shared: bool
) -> None:
    """A couple with one mailbox: one of them is erased, and the other waits for an invoice.

    What went to the phone is of its owner, though the other paid. A test of another shop is no one.
    """
    paid = paid_payment(merchant, customer_email=EMAIL)
    unpaid = PaymentFactory(merchant=merchant)
    other = paid.paying_customer
    person = CustomerFactory(merchant=merchant, email=EMAIL)
    CustomerFactory(merchant=stranger, email=EMAIL)
    Customer.objects.filter(pk=other.pk).update(email=EMAIL.upper() if is_shared else "")
    Message.objects.all().delete()
    for kind, payment in (
        ("receipt", paid),
        ("invoice", unpaid),
        ("reminder", unpaid),
        ("pay_request", paid),
    ):
        is_text = kind == "pay_request"
        plan_message(
            channel=Channel.SMS if is_text else Channel.EMAIL,
            kind=kind,
            recipient=person.phone if is_text else EMAIL,
            about=payment.pk,
            merchant_id=merchant.pk,
            livemode=False,
            now=utc_now(),
        )
    sent = Message.objects.filter(kind__in=("invoice", "pay_request"))
    sent.update(status=MessageStatus.SENT, sent_at=utc_now())

    kinds = messages_to(person).values_list("kind", flat=True)

    of_others = {"receipt", "reminder"} if is_shared else set()
    assert set(kinds) == {"invoice", "pay_request", "receipt", "reminder"} - of_others
