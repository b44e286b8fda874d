"""A stolen account is closed by one act, who froze one is said, and so is what was paid twice."""

import re
from datetime import timedelta
from html import unescape

import pytest

from backoffice.models import AuditEntry
from backoffice.payment_answer import answer_of, remedy_of
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.customers import secure_stolen, unfreeze_customer
from backoffice.services.instructions import instruct
from backoffice.services.money import with_refunds_asked
from core.clock import utc_now
from customers.account_changes import AccountChange, record_change
from customers.models import Customer, CustomerSession, Passkey
from customers.services import unfreeze
from ledger.models import Purpose
from merchants.models import Merchant
from payments.models import Payment
from refunds.services import RefundDraft, create_refund
from tests.backoffice.acting import act, address
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import caller_of, paid_payment, refund_request
from tests.factories import PasskeyFactory, PaymentFactory
from tests.nights import ITS_OWN
from tests.payouts.merchant_balance import credit, held
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db


@pytest.fixture
def payment(merchant: Merchant) -> Payment:
    return paid_payment(merchant)


def shown(office: Office, row: object, role: Role = Role.SUPPORT) -> str:
    return str(office(role).get(page_of(row)).content.decode())  # type: ignore[arg-type]


def test_one_act_closes_a_stolen_account(office: Office, payment: Payment) -> None:
    customer = payment.paying_customer
    PasskeyFactory(customer=customer)
    others, now = PasskeyFactory(), utc_now()
    removed = PasskeyFactory(customer=customer, removed_at=now)
    browser = office(Role.SUPPORT)

    response = act(browser, customer, "stolen", reason="Phone stolen at the beach")

    customer.refresh_from_db()
    assert customer.frozen_at is not None
    assert list(Passkey.objects.filter(removed_at=None)) == [others]
    removed.refresh_from_db()
    assert removed.removed_at == now
    assert not CustomerSession.objects.filter(customer=customer, ended_at=None).exists()
    page = browser.get(response["Location"]).content.decode()
    assert "1 passkey removed" in page
    assert payment.pk in page
    entry = AuditEntry.objects.get(act="account stolen")
    assert (entry.subject_id, entry.reason) == (customer.pk, "Phone stolen at the beach")
    answer = shown(office, customer)
    assert "by support (staff) (Phone stolen at the beach): cannot pay." in answer
    assert "Finance can unfreeze it." in answer


@pytest.mark.each_on_postgres(ITS_OWN)
def test_its_list_says_what_can_be_done_about_each(
    office: Office, merchant: Merchant, payment: Payment
) -> None:
    customer, browser = payment.paying_customer, office(Role.SUPPORT)
    request = refund_request(paid_payment(merchant, 70_000), 60_000)
    instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())
    partly, broke = paid_payment(merchant, 2_000), paid_payment(merchant, 3_000)
    whole = paid_payment(merchant, 4_000)
    for refunded, amount in ((partly, 500), (whole, None)):
        give_back(refunded, amount)
    credit(merchant, 1_000 - held(merchant, Purpose.MERCHANT))
    give_back(broke, 2_000)
    for more in ({}, {"status": "processing"}, {"status": "failed", "failed_at": utc_now()}):
        PaymentFactory(merchant=merchant, customer=customer, **more)

    page = browser.get(act(browser, customer, "stolen", reason="Stolen")["Location"])

    said = re.findall(r"field-what_can_be_done[^>]*>([^<]*)<", unescape(page.content.decode()))
    assert [words.strip() for words in said] == [
        "Nothing: it was not paid",
        "Too late to cancel: refund it once it is paid",
        "Cancel it: not paid yet",
        "Nothing left: refunded in full",
        "Refund B$10.00 BSD; B$20.00 BSD waits for the shop's balance",
        "Refund B$15.00 BSD",
        "Refund B$100.00 BSD; B$600.00 BSD waits for approval",
        "Refund B$12.50 BSD",
    ]
    assert "Refund B$" not in browser.get(address(Payment, "changelist")).content.decode()


@pytest.mark.parametrize(
    ("by_the_shop", "left"), [(30_000, "B$200.00"), (50_000, "B$0.00"), (20_000, "")]
)
def test_its_list_says_where_more_waits_for_approval_than_is_left(
    merchant: Merchant, by_the_shop: int, left: str
) -> None:
    paid = paid_payment(merchant, 50_000)
    for _ in range(2):
        request = refund_request(paid, 15_000)
        instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())
    give_back(paid, by_the_shop)

    [payment] = with_refunds_asked(Payment.objects.all(), utc_now())

    beyond = f", and only {left} BSD is left" if left else ""
    assert remedy_of(payment, utc_now()) == f"B$300.00 BSD waits for approval{beyond}"


def give_back(payment: Payment, amount: int | None) -> None:
    create_refund(
        caller=caller_of(payment.merchant),
        payment_id=payment.pk,
        draft=RefundDraft(amount=amount),
        now=utc_now(),
    )


@pytest.mark.parametrize(("days", "is_gone"), [(29, True), (31, False)])
def test_it_tells_if_an_email_address_is_gone(
    office: Office, payment: Payment, days: int, is_gone: bool
) -> None:
    customer = payment.paying_customer
    Customer.objects.update(email="ada@example.com")
    set_at = utc_now() - timedelta(days=days)
    record_change(customer.pk, AccountChange.EMAIL_SET, actor="", now=set_at)
    browser = office(Role.SUPPORT)

    response = act(browser, customer, "stolen", reason="Phone stolen at the beach")

    page = browser.get(response["Location"]).content.decode()
    assert ("0 passkeys removed, and the new e-mail address" in page) is is_gone
    assert AuditEntry.objects.get(act="account stolen").after["email_removed"] is is_gone
    assert (Customer.objects.get().email == "") is is_gone


def test_what_may_have_been_paid_twice_is_said(merchant: Merchant, payment: Payment) -> None:
    others = paid_payment(merchant), paid_payment(merchant)

    words = " ".join(answer_of(payment, utc_now()).words)

    assert words.count("Possibly paid twice: the same customer paid the same amount here ") == 1
    assert all(page_of(each) in words for each in others)


@pytest.mark.parametrize(
    "change", ["later", "other amount", "other shop", "given back", "other given back"]
)
def test_what_is_no_duplicate_is_not_called_one(
    merchant: Merchant, stranger: Merchant, payment: Payment, change: str
) -> None:
    other = paid_payment(
        stranger if change == "other shop" else merchant, 900 if change == "other amount" else 1_250
    )
    if change == "later":
        later = utc_now() + timedelta(hours=2)
        Payment.objects.filter(pk=other.pk).update(completed_at=later)
    if change.endswith("given back"):
        returned = payment if change == "given back" else other
        create_refund(
            caller=caller_of(merchant), payment_id=returned.pk, draft=RefundDraft(), now=utc_now()
        )
        payment.refresh_from_db()

    assert "paid twice" not in " ".join(answer_of(payment, utc_now()).words)


def test_a_merchant_has_a_timeline(office: Office, merchant: Merchant) -> None:
    act(office(Role.FINANCE), merchant, "suspend", reason="Chargebacks")

    page = shown(office, merchant)

    assert "Staff: suspend merchant — done" in page
    assert "Reason: Chargebacks" in page


def test_an_endpoint_says_since_when_it_fails(office: Office, merchant: Merchant) -> None:
    from webhooks.endpoints import create_webhook

    made = create_webhook(
        caller=caller_of(merchant),
        url="https://shop.example/hook",
        events=["*"],
        description="",
        now=utc_now(),
    )
    Webhook.objects.update(failing_since=utc_now())

    assert "It began to fail" in shown(office, made.webhook)


def test_who_was_unfrozen_meanwhile_is_asked_nothing(payment: Payment) -> None:
    customer = payment.paying_customer
    secure_stolen(
        staff=staff_as(Role.SUPPORT), customer_id=customer.pk, reason="Stolen", now=utc_now()
    )
    unfreeze(customer_id=customer.pk, actor="staff:otto", now=utc_now())

    shown = unfreeze_customer(
        staff=staff_as(Role.FINANCE),
        customer_id=customer.pk,
        reason="Phone found",
        now=utc_now(),
        amount=None,
        merchant="",
        email="",
    )

    assert shown.frozen_at is None
    entry = AuditEntry.objects.get(act="unfreeze customer")
    assert (entry.outcome, entry.after["proofs"]) == ("done", 0)
