"""A colleague and a thief of the number take no customer's last passkey between the two of them."""

from datetime import datetime, timedelta

import pytest
from django.test import Client

from backoffice.audit import UNLOCK, AuditAction, AuditRecord, append_entry
from backoffice.errors import Forbidden, IdentityNotProven
from backoffice.models import AuditOutcome, Instruction
from backoffice.roles import Right, Role
from backoffice.services.customers import (
    MOST_FAILURES_A_DAY,
    STOLEN,
    remove_passkey,
    unfreeze_customer,
    unlock,
)
from backoffice.staff import Staff
from core.clock import utc_now
from customers.account_changes import AccountChange, record_change
from customers.errors import PasskeyNotFound
from customers.models import Customer, Passkey
from customers.services import find_or_create, freeze
from merchants.callers import Caller
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.acting import act, address
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import paid_payment
from tests.factories import PasskeyFactory

pytestmark = pytest.mark.django_db
# Both stand on the page of the payment, which all staff read.
ANSWERS = {"amount": "12.50", "merchant": "Island Coffee"}
REASON = {"reason": "Phone lost at sea"}


@pytest.fixture
def passkey(merchant: Merchant) -> Passkey:
    """The only passkey of a live customer, who has paid 12.50 to Island Coffee."""
    Merchant.objects.filter(pk=merchant.pk).update(name="Island Coffee")
    paid_payment(merchant)
    owner, some_days_ago = find_or_create(phone="+12423591234", now=utc_now()), timedelta(days=3)
    then = utc_now() - some_days_ago
    Payment.objects.update(customer=owner, created_at=then, completed_at=then)
    return PasskeyFactory(customer=owner, name="Phone")


def is_there(passkey: Passkey) -> bool:
    return Passkey.objects.get(pk=passkey.pk).removed_at is None


def is_frozen(passkey: Passkey) -> bool:
    return Customer.objects.get(pk=passkey.customer_id).frozen_at is not None


def refuse(staff: Staff, act: str, customer: Customer, now: datetime) -> None:
    """Record an attempt that was refused."""
    action = AuditAction(act, Right.UNLOCK_PIN, "customer", customer.pk)
    record = AuditRecord(outcome=AuditOutcome.REFUSED)
    append_entry(staff=staff, action=action, record=record, now=now)


def approve(browser: Client) -> None:
    act(browser, Instruction.objects.get(), "approve", note="Saw the passport")


def test_one_colleague_removes_no_passkey(office: Office, passkey: Passkey) -> None:
    support = office(Role.SUPPORT)
    act(support, passkey, "remove", **ANSWERS, **REASON)

    assert is_there(passkey)
    assert (
        "waits for a colleague"
        in support.get(address(Passkey, "change", passkey.pk)).content.decode()
    )
    page = address(Instruction, "change", Instruction.objects.get().pk)
    shown = office(Role.FINANCE).get(page).content.decode()
    for words in ("12.50", "Island Coffee", REASON["reason"], "Phone, last used: never"):
        assert words in shown
    approve(office(Role.FINANCE))
    assert not is_there(passkey)


def test_one_who_may_approve_removes_none_alone_either(office: Office, passkey: Passkey) -> None:
    ida = office(Role.FINANCE, "ida")
    act(ida, passkey, "remove", **ANSWERS, **REASON)

    approve(ida)

    assert is_there(passkey)
    approve(office(Role.FINANCE, "otto"))
    assert not is_there(passkey)


def test_who_names_nothing_right_waits_for_no_one(office: Office, passkey: Passkey) -> None:
    support, wrong = office(Role.SUPPORT), {"amount": "1.00"}
    for _ in range(3):
        assert act(support, passkey, "remove", **wrong, **REASON).status_code == 422

    response = act(support, passkey, "remove", **ANSWERS, **REASON)

    assert "try again tomorrow" in response.content.decode()
    assert not Instruction.objects.exists()


def test_an_address_that_was_named_is_not_kept(office: Office, passkey: Passkey) -> None:
    Customer.objects.update(email="pat@example.com")
    said = {"amount": "12.50", "email": "Pat@example.com"}

    act(office(Role.SUPPORT), passkey, "remove", **said, **REASON)

    kept = Instruction.objects.get().arguments
    assert (kept["caller_named_email"], kept["caller_named_amount"]) == ("the one on file", 1_250)
    approve(office(Role.FINANCE))
    assert not is_there(passkey)


def test_one_colleague_does_not_call_it_stolen_and_let_it_pay(
    office: Office, passkey: Passkey
) -> None:
    """Account stolen takes the passkeys away without a question: a code then resets the PIN."""
    ida = office(Role.FINANCE, "ida")
    act(ida, passkey.customer, "stolen", **REASON)
    act(ida, passkey.customer, "unfreeze", **ANSWERS, **REASON)

    assert is_frozen(passkey)
    with pytest.raises(Forbidden):
        unfreeze_customer(
            staff=staff_as(Role.FINANCE),
            customer_id=passkey.customer_id,
            amount=1_250,
            merchant="Island Coffee",
            email="",
            reason="Phone found",
            now=utc_now(),
        )
    approve(office(Role.FINANCE, "otto"))
    assert not is_frozen(passkey)


@pytest.mark.parametrize("later", [0, 1])
def test_an_old_request_lifts_no_newer_freeze(office: Office, passkey: Passkey, later: int) -> None:
    ida, otto = office(Role.FINANCE, "ida"), office(Role.FINANCE, "otto")
    act(ida, passkey.customer, "stolen", **REASON)
    act(ida, passkey.customer, "unfreeze", **ANSWERS, **REASON)
    then = Instruction.objects.get().asked_at + timedelta(microseconds=later)
    freeze(customer_id=passkey.customer_id, actor="system", cause="again", now=then)

    approve(otto)

    assert is_frozen(passkey) == bool(later)


def test_an_answer_that_counts_no_longer_lets_no_one_pay(office: Office, passkey: Passkey) -> None:
    ida, customer = office(Role.FINANCE, "ida"), passkey.customer
    act(ida, customer, "stolen", **REASON)
    act(ida, customer, "unfreeze", **ANSWERS, **REASON)
    named = Payment.objects.get()
    another = Payment.objects.filter(pk=paid_payment(named.merchant, 7_700).pk)
    another.update(customer=customer, completed_at=named.completed_at)
    Payment.objects.filter(pk=named.pk).update(created_at=utc_now() - timedelta(days=90))

    approve(office(Role.FINANCE, "otto"))

    assert is_frozen(passkey)


def test_who_can_be_asked_nothing_takes_two_colleagues_as_well(
    office: Office, passkey: Passkey
) -> None:
    long_ago = utc_now() - timedelta(days=400)
    Payment.objects.update(created_at=long_ago, completed_at=long_ago)
    ida = office(Role.FINANCE, "ida")
    act(ida, passkey.customer, "stolen", **REASON)
    act(ida, passkey.customer, "unfreeze", **REASON)
    assert is_frozen(passkey)

    approve(office(Role.FINANCE, "otto"))

    assert not is_frozen(passkey)


def test_one_colleague_unfreezes_who_has_a_passkey_left(office: Office, passkey: Passkey) -> None:
    act(office(Role.SUPPORT), passkey.customer, "freeze", **REASON)

    act(office(Role.FINANCE), passkey.customer, "unfreeze", **REASON)

    assert not is_frozen(passkey)


def test_a_passkey_that_was_removed_before_the_freeze_asks_nothing(
    office: Office, passkey: Passkey
) -> None:
    Passkey.objects.filter(pk=passkey.pk).update(removed_at=utc_now() - timedelta(days=1))
    act(office(Role.SUPPORT), passkey.customer, "freeze", **REASON)
    refuse(staff_as(Role.SUPPORT, "sue"), STOLEN, passkey.customer, utc_now())
    owner = f"customer:{passkey.customer_id}"
    record_change(passkey.customer_id, AccountChange.EMAIL_SET, actor=owner, now=utc_now())
    act(office(Role.SUPPORT), PasskeyFactory().customer, "stolen", **REASON)

    act(office(Role.FINANCE), passkey.customer, "unfreeze", **REASON)

    assert not is_frozen(passkey)


def answer(staff: Staff, customer: Customer, amount: int, now: datetime) -> None:
    """Name the amount of a payment at Island Coffee, to unlock a PIN."""
    unlock(
        staff=staff,
        customer_id=customer.pk,
        amount=amount,
        merchant="Island Coffee",
        email="",
        now=now,
    )


def test_what_another_customer_has_paid_proves_nothing(passkey: Passkey) -> None:
    then = Payment.objects.get().completed_at
    others = paid_payment(Merchant.objects.get(), 7_700)
    Payment.objects.update(created_at=then, completed_at=then)
    staff = staff_as(Role.SUPPORT)

    with pytest.raises(IdentityNotProven):
        answer(staff, passkey.customer, 7_700, utc_now())

    answer(staff, others.paying_customer, 7_700, utc_now())


def test_only_wrong_answers_of_a_day_about_this_customer_are_too_many(passkey: Passkey) -> None:
    staff, now, customer = staff_as(Role.SUPPORT), utc_now(), passkey.customer
    stranger = find_or_create(phone="+12423591235", now=now)
    for _ in range(MOST_FAILURES_A_DAY):
        refuse(staff, UNLOCK, stranger, now)
        refuse(staff, "reveal contact", customer, now)
        answer(staff, customer, 1_250, now)
    answer(staff, customer, 1_250, now)
    for _ in range(MOST_FAILURES_A_DAY):
        refuse(staff, UNLOCK, customer, now)
    with pytest.raises(IdentityNotProven, match="Too many"):
        answer(staff, customer, 1_250, now)
    answer(staff, customer, 1_250, now + timedelta(days=1))


def test_a_request_about_one_customer_removes_no_passkey_of_another(
    office: Office, passkey: Passkey
) -> None:
    act(office(Role.SUPPORT), passkey, "remove", **ANSWERS, **REASON)
    others = PasskeyFactory(customer=find_or_create(phone="+12423591235", now=utc_now()))
    request = Instruction.objects.get()
    request.arguments["passkey_id"] = others.pk

    with pytest.raises(PasskeyNotFound):
        remove_passkey(request, Caller(None, livemode=True, actor="staff:otto"), utc_now())

    assert is_there(others)
