"""A person is erased on request by two of staff; the money that was theirs stays provable."""

import json
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import IntegrityError
from django.test import Client

from backoffice.formats import money
from backoffice.models import AuditEntry, AuditOutcome, Instruction
from backoffice.roles import Role
from checkout.models import VerificationAttempt
from core.attempt_limits import AttemptLimit, count_attempt
from core.clock import iso, utc_now
from core.errors import ValidationFailed
from customers.errors import CustomerErased
from customers.models import Customer, CustomerSession, Passkey, SignInCode
from customers.phones import normalize_phone
from customers.pins import set_pin
from customers.services import find_or_create, top_up, unfreeze, wallet
from funding.models import FundingWay, TopUp
from funding.services import credit_top_up, open_top_up
from ledger.models import Transfer
from ledger.services import balance_of
from merchants.callers import Caller
from merchants.models import Merchant
from messages.models import Message
from payments.models import Payment
from payments.paying import pay
from payments.verification import Verification
from refunds.services import RefundDraft, create_refund
from tests.backoffice.acting import act, address, page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.erasing import EMAIL, NAME, PHONE, REASON, erase
from tests.client import Api
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.customers.texts import ask
from tests.factories import PaymentFactory
from tests.ledger.command import verify
from tests.payouts.merchant_balance import credit
from tests.refunds.refunding import refund

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("texts")]
ADDRESS = "192.0.2.77"


@pytest.fixture
def person(merchant: Merchant) -> Customer:
    """A live customer with everything that can be known of one, who has spent all their money."""
    now = utc_now()
    customer = find_or_create(phone=PHONE, now=now)
    Customer.objects.update(email=EMAIL, name=NAME, language="es")
    set_pin(customer_id=customer.id, pin="7359", now=now)
    enrol(proven(customer, now), VirtualAuthenticator(), now)
    ask(now, phone=PHONE)
    count_attempt(AttemptLimit("code-phone-hour", 3, timedelta(hours=1)), PHONE, now=now)
    customer.refresh_from_db()
    ordered = on_its_way(customer, 1_250)
    credit_top_up(top_up_id=ordered.pk, amount=1_250, actor="staff:ann", now=now)
    payment = PaymentFactory(merchant=merchant, amount=1_250, livemode=True, customer_email=EMAIL)
    paid_at(payment, customer)
    return Customer.objects.get()


def on_its_way(customer: Customer, amount: int) -> TopUp:
    """Order a top-up in cash."""
    return open_top_up(
        customer=customer,
        way=FundingWay.AGENT,
        amount=amount,
        currency="BSD",
        expires_at=utc_now() + timedelta(days=1),
        actor=f"customer:{customer.pk}",
        now=utc_now(),
    )


def paid_at(payment: Payment, customer: Customer) -> None:
    actor = f"customer:{customer.id}"
    pay(
        payment_id=payment.id,
        customer=customer,
        verified=Verification.PASSKEY,
        actor=actor,
        now=utc_now(),
    )
    for tried in (payment, PaymentFactory(merchant=payment.merchant, livemode=True)):
        VerificationAttempt.objects.create(
            payment_id=tried.id, method="pin", actor=actor, address=ADDRESS, attempted_at=utc_now()
        )


def everything_stored() -> str:
    """Return all that the tables hold, but for the record of what staff did."""
    rows = [
        model._default_manager.values() for model in apps.get_models() if model is not AuditEntry
    ]
    return json.dumps([list(found) for found in rows], default=str)


def test_nothing_of_the_person_is_left_and_the_ledger_is_clean(
    office: Office, person: Customer
) -> None:
    before = everything_stored()
    transfers = list(Transfer.objects.order_by("pk").values())
    assert all(known in before for known in (PHONE, EMAIL, NAME, ADDRESS))

    instruction = erase(office, person)

    after = everything_stored()
    assert [known for known in (PHONE, EMAIL, NAME, ADDRESS) if known in after] == []
    for kind in (Passkey, CustomerSession, SignInCode, Message, VerificationAttempt):
        assert not kind.objects.exists()
    assert list(Transfer.objects.order_by("pk").values()) == transfers
    payment = Payment.objects.get(status="completed")
    assert (payment.status, payment.amount, payment.customer_id) == ("completed", 1_250, person.id)
    assert TopUp.objects.get().amount_received == 1_250
    assert verify()[0] == 0
    assert (instruction.status, instruction.result_id) == ("carried_out", person.id)


def test_it_needs_a_second_person(office: Office, person: Customer) -> None:
    browser = office(Role.ADMINISTRATOR, "ida")
    response = act(browser, person, "erase", reason=REASON)

    instruction = Instruction.objects.get()
    assert (response.status_code, instruction.status) == (302, "waiting")
    assert browser.post(page_of_act(instruction, "approve"), {"note": "", "form_key": "x"})
    assert Customer.objects.get().phone == PHONE
    assert Instruction.objects.get().status == "waiting"


@pytest.mark.parametrize("role", [Role.VIEWER, Role.SUPPORT, Role.DEVELOPER])
@pytest.mark.parametrize("name", ["erase", "export-data"])
def test_others_may_not(office: Office, person: Customer, role: Role, name: str) -> None:
    response = office(role).post(page_of_act(person, name), {"reason": REASON})

    assert response.status_code == 403
    assert Customer.objects.get().phone == PHONE
    assert AuditEntry.objects.get().outcome == AuditOutcome.FORBIDDEN


def test_a_wallet_with_money_refuses(office: Office, person: Customer) -> None:
    top_up(customer=person, amount=990, currency="BSD", now=utc_now())

    response = act(office(Role.FINANCE), person, "erase", reason=REASON)

    assert response.status_code == 422
    words = f"The wallet holds {money(990, 'BSD')}: empty it by “Adjust wallet” first."
    assert words in response.content.decode()
    assert not Instruction.objects.exists()


def test_open_payments_refuse_at_approval_too(
    office: Office, person: Customer, merchant: Merchant
) -> None:
    act(office(Role.FINANCE, "ida"), person, "erase", reason=REASON)
    PaymentFactory(merchant=merchant, amount=100, livemode=True, customer=person)

    approval = act(office(Role.FINANCE, "otto"), Instruction.objects.get(), "approve", note="")

    assert approval.status_code == 422
    assert "Payments still open: 1." in approval.content.decode()
    assert Customer.objects.get().phone == PHONE


def test_a_top_up_on_its_way_refuses(office: Office, person: Customer) -> None:
    on_its_way(person, 500)

    response = act(office(Role.FINANCE), person, "erase", reason=REASON)

    assert response.status_code == 422
    assert "Top-ups still on their way: 1." in response.content.decode()
    assert not Instruction.objects.exists()


def test_a_refund_that_waits_for_money_refuses(office: Office, person: Customer, api: Api) -> None:
    paid = Payment.objects.get(status="completed")
    credit(paid.merchant, -1_250, livemode=True)
    assert refund(api, paid, 250).json()["status"] == "pending"

    response = act(office(Role.FINANCE), person, "erase", reason=REASON)

    assert "Refunds that wait for the merchant" in response.content.decode()
    assert (response.status_code, Instruction.objects.count()) == (422, 0)


def test_the_phone_starts_afresh(office: Office, person: Customer) -> None:
    erase(office, person)

    again = find_or_create(phone=PHONE, now=utc_now())

    assert again.id != person.id
    assert not again.has_pin


def test_an_erased_customer_is_reached_by_no_one(office: Office, person: Customer) -> None:
    erase(office, person)
    person.refresh_from_db()

    with pytest.raises(ValidationFailed):
        normalize_phone(person.phone, livemode=True)
    with pytest.raises(CustomerErased):
        unfreeze(customer_id=person.id, actor="staff:ada", now=utc_now())
    page = office(Role.FINANCE).get(address(Customer, "change", person.pk)).content.decode()
    assert "The person&#x27;s data was erased" in page
    for name in ("erase", "export-data", "top-up", "reveal", "unfreeze"):
        assert page_of_act(person, name) not in page


def test_a_later_refund_is_told_to_no_one_and_kept_for_staff(
    office: Office, person: Customer, merchant: Merchant
) -> None:
    erase(office, person)
    caller = Caller(merchant=merchant, livemode=True, actor="key:1")

    create_refund(
        caller=caller,
        payment_id=Payment.objects.get(status="completed").id,
        draft=RefundDraft(amount=250),
        now=utc_now(),
    )

    assert balance_of(wallet(person, "BSD")) == 250
    assert not Message.objects.exists()
    assert verify()[0] == 0


def test_the_database_keeps_an_erased_customer_nameless(office: Office, person: Customer) -> None:
    erase(office, person)

    with pytest.raises(IntegrityError):
        Customer.objects.update(email=EMAIL)


# The export


def test_the_person_gets_all_that_is_stored_and_no_secret(office: Office, person: Customer) -> None:
    person.sessions.update(device="iPhone")
    response = act(office(Role.FINANCE), person, "export-data", reason=REASON)

    assert response["Content-Disposition"] == 'attachment; filename="personal-data.json"'
    known = json.loads(response.content)
    assert known["customer"]["phone"] == PHONE
    assert known["wallets"] == [{"currency": "BSD", "balance": 0}]
    moved = Transfer.objects.order_by("pk").values_list("created_at", flat=True)
    assert [(row["amount"], row["at"]) for row in known["transfers"]] == [
        (amount, iso(at)) for amount, at in zip((1_250, -1_250), moved, strict=True)
    ]
    assert [row["amount_received"] for row in known["top_ups"]] == [1_250]
    assert [row["customer_email"] for row in known["payments"]] == [EMAIL]
    assert [row["address"] for row in known["verification_attempts"]] == [ADDRESS] * 2
    assert {"pin_set", "passkey_added", "top_up"} <= {row["kind"] for row in known["messages"]}
    assert len(known["passkeys"]) == 1
    assert [row["device"] for row in known["sessions"]] == ["iPhone"]
    assert person.pin_hash not in response.content.decode()
    entry = AuditEntry.objects.get()
    assert (entry.act, entry.subject_id, entry.reason) == (
        "export personal data",
        person.id,
        REASON,
    )


def test_who_takes_it_gets_no_link_by_which_the_customer_acts(
    office: Office, person: Customer
) -> None:
    """Who presses it freezes the wallet, and the record names the customer."""
    known = json.loads(act(office(Role.FINANCE), person, "export-data", reason=REASON).content)

    [text] = [row["text"] for row in known["messages"] if row["kind"] == "pin_set"][:1]
    assert "/not-me/…" in text
    assert f"/not-me/{person.id}" not in text


def test_it_wants_a_reason(office: Office, person: Customer) -> None:
    response = act(office(Role.FINANCE), person, "export-data", reason="")

    assert response.status_code == 422
    assert not AuditEntry.objects.exists()


def test_without_signing_in_there_is_no_export(person: Customer) -> None:
    assert Client().get(page_of_act(person, "export-data")).status_code == 302
