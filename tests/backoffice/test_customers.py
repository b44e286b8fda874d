"""Customers: helped once they have proved who they are, stopped at once."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from pytest_django import Settings

from backoffice.models import AuditEntry, AuditOutcome
from backoffice.roles import Role
from core.clock import utc_now
from customers.models import Customer, Passkey
from customers.security_alerts import stop_link
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.acting import act, address, page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import one_of_each, paid_payment
from tests.factories import PasskeyFactory

pytestmark = [pytest.mark.django_db, pytest.mark.each_on_postgres("each has statements of its own")]


@pytest.fixture
def merchant(merchant: Merchant) -> Merchant:
    merchant.name = "Island Coffee"
    merchant.save()
    return merchant


@pytest.fixture
def locked(merchant: Merchant) -> Customer:
    """A customer who has paid 12.50 to Island Coffee, and whose PIN is locked."""
    customer = paid_payment(merchant).paying_customer
    some_days_ago = utc_now() - timedelta(days=3)
    Payment.objects.update(created_at=some_days_ago, completed_at=some_days_ago)
    Customer.objects.update(
        pin_failures=5, pin_locked_until=utc_now() + timedelta(minutes=30), email="pat@example.com"
    )
    customer.refresh_from_db()
    return customer


@pytest.mark.parametrize(
    "answers",
    [
        {"amount": "12.50", "merchant": "island coffee"},
        {"amount": "12.50", "email": "Pat@example.com"},
        {"amount": "12.50", "merchant": "The Island shop"},
    ],
)
def test_two_right_answers_unlock_a_pin(
    office: Office, locked: Customer, answers: dict[str, str]
) -> None:
    response = act(office(Role.SUPPORT), locked, "unlock-pin", **answers)

    assert response.status_code == 302
    locked.refresh_from_db()
    assert (locked.pin_failures, locked.pin_locked_until) == (0, None)
    entry = AuditEntry.objects.get()
    assert (entry.act, entry.outcome, entry.after["proofs"]) == ("unlock PIN", AuditOutcome.DONE, 2)


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"amount": "12.50"},
        {"amount": "12.51", "merchant": "Island Coffee"},
        {"amount": "12.50", "merchant": "lan"},
        {"merchant": "Island Coffee", "email": "pat@example.com"},
        {"email": "pat@example.com"},
    ],
)
def test_less_does_not(office: Office, locked: Customer, answers: dict[str, str]) -> None:
    response = act(office(Role.SUPPORT), locked, "unlock-pin", **answers)

    assert response.status_code == 422
    assert "do not prove their identity" in response.content.decode()
    locked.refresh_from_db()
    assert locked.pin_failures == 5
    assert AuditEntry.objects.get().outcome == AuditOutcome.REFUSED


def test_the_answers_must_be_of_the_same_payment(
    office: Office, locked: Customer, stranger: Merchant
) -> None:
    paid_payment(stranger, 99_900)

    response = act(
        office(Role.SUPPORT), locked, "unlock-pin", amount="999.00", merchant="Island Coffee"
    )

    assert response.status_code == 422


def test_three_wrong_attempts_a_day_are_enough(office: Office, locked: Customer) -> None:
    for number in range(3):
        act(office(Role.SUPPORT, f"support{number}"), locked, "unlock-pin", amount="1.00")

    response = act(
        office(Role.SUPPORT), locked, "unlock-pin", amount="12.50", merchant="Island Coffee"
    )

    assert "try again tomorrow" in response.content.decode()
    locked.refresh_from_db()
    assert locked.pin_failures == 5


def test_what_was_answered_wrong_to_one_act_counts_for_the_others(
    office: Office, locked: Customer
) -> None:
    right = {"amount": "12.50", "merchant": "Island Coffee"}
    Client().post(stop_link(locked.id).removeprefix(settings.CHECKOUT_URL))
    for _ in range(2):
        act(office(Role.SUPPORT), locked, "unlock-pin", amount="1.00")
    act(office(Role.FINANCE), locked, "unfreeze", reason="Phone found", amount="1.00")

    response = act(office(Role.SUPPORT), locked, "unlock-pin", **right)
    assert "try again tomorrow" in response.content.decode()
    act(office(Role.FINANCE), locked, "unfreeze", reason="Phone found", **right)
    assert is_frozen(locked)


def test_what_went_before_the_last_unfreeze_asks_nothing(office: Office, locked: Customer) -> None:
    answers = {"amount": "12.50", "merchant": "Island Coffee"}
    PasskeyFactory(customer=locked)
    act(office(Role.SUPPORT), locked, "stolen", reason="Phone stolen")
    act(office(Role.FINANCE), locked, "unfreeze", reason="Phone found", **answers)
    act(office(Role.SUPPORT), locked, "freeze", reason="Looks odd")

    act(office(Role.FINANCE), locked, "unfreeze", reason="Was not")

    assert not is_frozen(locked)


def test_a_customer_is_frozen_by_support_and_unfrozen_by_finance(
    office: Office, locked: Customer
) -> None:
    act(office(Role.SUPPORT), locked, "freeze", reason="Phone stolen")
    locked.refresh_from_db()
    assert locked.frozen_at is not None

    refused = office(Role.SUPPORT).post(page_of_act(locked, "unfreeze"), {"reason": "x"})
    assert refused.status_code == 403
    act(office(Role.FINANCE), locked, "unfreeze", reason="Phone found")

    locked.refresh_from_db()
    assert locked.frozen_at is None


STOLEN, BY_OWNER = "stolen, with a passkey", "by the customer"
STOPS = [("stolen",), (STOLEN,), (BY_OWNER,), (STOLEN, "stolen"), (BY_OWNER, "stolen")]


@pytest.mark.parametrize("stops", STOPS, ids=", then ".join)
def test_a_thief_of_the_number_does_not_have_the_wallet_unfrozen(
    office: Office, locked: Customer, stops: tuple[str, ...]
) -> None:
    """Without the passkeys, or the owner's freeze, a code to the number would set a new PIN."""
    if STOLEN in stops:
        PasskeyFactory(customer=locked)
    for stop in stops:
        if stop == BY_OWNER:
            Client().post(stop_link(locked.id).removeprefix(settings.CHECKOUT_URL))
        else:
            act(office(Role.SUPPORT), locked, "stolen", reason="Phone stolen")
    finance = office(Role.FINANCE)

    refused = act(finance, locked, "unfreeze", reason="Phone found", email="pat@example.com")
    assert "do not prove their identity" in refused.content.decode()
    assert is_frozen(locked)

    answers = {"amount": "12.50", "merchant": "Island Coffee"}
    act(finance, locked, "unfreeze", reason="Phone found", **answers)
    assert not is_frozen(locked)
    entry = AuditEntry.objects.get(act="unfreeze customer", outcome=AuditOutcome.DONE)
    assert entry.after["proofs"] == 2


def test_who_unfreezes_sees_what_is_new(office: Office, locked: Customer) -> None:
    """A thief's passkey would be the key to the wallet again."""
    page = page_of_act(locked, "unfreeze")
    PasskeyFactory(customer=locked)
    act(office(Role.SUPPORT), locked, "freeze", reason="Looks odd")
    Customer.objects.update(pin_set_at=utc_now() - timedelta(days=29))
    shown = office(Role.FINANCE).get(page).content.decode()
    assert "New in the last 30 days: PIN, set " in shown
    assert "; passkey “passkey " in shown

    long_ago = utc_now() - timedelta(days=30)
    Customer.objects.update(pin_set_at=long_ago)
    Passkey.objects.update(created_at=long_ago)
    assert "New in the last" not in office(Role.FINANCE).get(page).content.decode()


def test_who_has_paid_nothing_lately_is_unfrozen_all_the_same(
    office: Office, locked: Customer
) -> None:
    long_ago = utc_now() - timedelta(days=91)
    Payment.objects.update(created_at=long_ago, completed_at=long_ago)
    Client().post(stop_link(locked.id).removeprefix(settings.CHECKOUT_URL))
    finance = office(Role.FINANCE)
    form = finance.get(page_of_act(locked, "unfreeze")).content.decode()
    assert "with no payment to ask about: see an ID, and name it." in form
    assert "The merchant of that payment" not in form
    act(finance, locked, "unfreeze", reason="Came by with a passport")

    locked.refresh_from_db()
    assert locked.frozen_at is None


def is_frozen(customer: Customer) -> bool:
    return Customer.objects.get(pk=customer.pk).frozen_at is not None


@pytest.mark.parametrize(
    ("act_name", "role", "ago"),
    [("unfreeze", Role.FINANCE, timedelta(hours=23)), ("unlock-pin", Role.SUPPORT, timedelta())],
)
def test_what_a_thief_of_the_number_has_just_paid_answers_no_question(
    office: Office,
    locked: Customer,
    merchant: Merchant,
    act_name: str,
    role: Role,
    ago: timedelta,
    settings: Settings,
) -> None:
    """By a PIN that a code has reset; or it was read on the customer's page before the freeze."""
    settings.RISK_NEW_PROOF_HOURS = 0  # what a new PIN may pay is another question
    stolen, browser = paid_payment(merchant, 9_900), office(role)
    assert stolen.customer == locked
    Payment.objects.filter(pk=stolen.pk).update(completed_at=utc_now() - ago)
    if act_name == "unfreeze":
        Client().post(stop_link(locked.id).removeprefix(settings.CHECKOUT_URL))
    else:  # reset twice, so that the payment lies before the last change
        Customer.objects.update(proof_changed_at=utc_now())
    why = {"reason": "Phone found"} if act_name == "unfreeze" else {}

    for amount, status in (("99.00", 422), ("12.50", 302)):
        said = {"amount": amount, "merchant": "Island Coffee"}
        assert act(browser, locked, act_name, **said, **why).status_code == status


def test_what_a_thief_has_paid_answers_none_after_a_late_denial_either(
    office: Office, locked: Customer, merchant: Merchant
) -> None:
    """Two days after the PIN was reset: a payment of its first minute let the thief in again."""
    stolen, reset_at = paid_payment(merchant, 9_900), utc_now() - timedelta(days=3)
    Payment.objects.update(completed_at=reset_at - timedelta(days=2))
    Payment.objects.filter(pk=stolen.pk).update(completed_at=reset_at + timedelta(minutes=1))
    Customer.objects.update(proof_changed_at=reset_at)
    Client().post(stop_link(locked.id).removeprefix(settings.CHECKOUT_URL))

    for amount, status in (("99.00", 422), ("12.50", 302)):
        said = {"amount": amount, "merchant": "Island Coffee", "reason": "Phone found"}
        assert act(office(Role.FINANCE), locked, "unfreeze", **said).status_code == status


def test_support_sees_that_the_customer_stopped_the_wallet(
    office: Office, locked: Customer
) -> None:
    Client().post(stop_link(locked.id).removeprefix(settings.CHECKOUT_URL))

    page = office(Role.SUPPORT).get(address(Customer, "change", locked.pk)).content.decode()

    assert "Account frozen" in page
    assert "the customer" in page
    assert "By the link in a message: this was not me." in page


def test_the_passkey_of_a_lost_phone_is_removed(office: Office) -> None:
    passkey = one_of_each()[Passkey]
    merchant = Payment.objects.filter(status="completed").latest("pk").merchant

    act(
        office(Role.SUPPORT),
        passkey,
        "remove",
        amount="5000.00",
        merchant=merchant.name,
        reason="Phone lost",
    )

    passkey.refresh_from_db()
    assert passkey.removed_at is not None  # type: ignore[attr-defined]  # a Passkey


def test_a_payment_that_took_no_proof_answers_no_question(office: Office, locked: Customer) -> None:
    """Who has stolen the number pays 2.00 without any, and knows what to answer."""
    stolen = paid_payment(Merchant.objects.get(), 200)
    assert stolen.customer == locked

    response = act(
        office(Role.SUPPORT), locked, "unlock-pin", amount="2.00", merchant=stolen.merchant.name
    )

    assert response.status_code == 422
