"""What a page offers can be done: no button leads to a refusal that was known before."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client

from backoffice import formats
from backoffice.models import Instruction
from backoffice.resource.page_urls import address_of, page_of
from backoffice.roles import Role
from backoffice.services.decisions import BREAK_GLASS_DELAY
from backoffice.services.instructions import instruct
from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import issue_key
from payments.models import Payment
from payouts.account_statements import make_due
from payouts.balances import balances_of
from payouts.models import AccountStatement, BankAccount, BankEntry, Payout, PayoutBatch
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.colleagues import (
    SECOND,
    ask_for_account,
    at_desk,
    two_administrators,
    waiting,
)
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import one_of_each, paid_payment, refund_request
from tests.client import Api
from tests.factories import CustomerFactory, MerchantFactory
from tests.nights import ITS_OWN
from tests.payouts.bank_files import entry, order_of, read, statement
from tests.payouts.batching import batch_of, live_payout
from webhooks.models import Delivery, Event, Webhook
from webhooks.statuses import DeliveryStatus

pytestmark = pytest.mark.django_db


def advised(page: Any) -> list[str]:
    """Return the names of the actions that a page advises."""
    return [each["action"].name for each in page.context["row_actions"] if each["is_advised"]]


def offered(browser: Client, row: Model) -> set[str]:
    """Return the names of the actions that the page of a row offers."""
    context = browser.get(page_of(row)).context
    return {item["action"].name for item in context["row_actions"]}


@pytest.mark.parametrize(
    ("direction", "names_order", "button"),
    [("CRDT", False, "credit"), ("CRDT", True, "match"), ("DBIT", False, "match")],
)
def test_the_button_of_a_bank_entry_is_what_its_page_advises(
    office: Office, api: Api, settings, direction: str, names_order: bool, button: str
) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    payout = live_payout(api, amount=1250)
    batch_of()
    read(statement(entry(900, order_of(payout) if names_order else "", direction=direction)))
    found = BankEntry.objects.get()

    page = office(Role.FINANCE).get(page_of(found)).content.decode()

    assert re.findall(r'bo-main" href="[^"]*/acts/([^/]+)/', page) == [button]
    advice = {"credit": "credit their wallet", "match": "match it by hand"}[button]
    assert direction == "DBIT" or advice in page


def test_nothing_is_advised_while_a_colleague_is_to_decide(office: Office, settings) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    read(statement(entry(900, direction="CRDT")))
    found, finance = BankEntry.objects.get(), office(Role.FINANCE)
    act(
        finance,
        found,
        "credit",
        whose=CustomerFactory(livemode=True, merchant=None).pk,
        reason="His name is on it",
        note="Asked for the sender",
    )

    page = finance.get(page_of(found))

    assert "requested by finance" in page.content.decode()
    assert advised(page) == []
    assert "credit" in offered(finance, found)  # the first may have named the wrong customer
    act(finance, Instruction.objects.get(), "withdraw", note="Not his")
    assert advised(finance.get(page_of(found))) == ["credit"]


def test_a_refusal_that_waits_is_not_offered_again(office: Office, api: Api, settings) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    payout, finance = live_payout(api, amount=120_000), office(Role.FINANCE)
    batch_of()
    assert offered(finance, payout) == {"paid", "failed"}
    act(finance, payout, "failed", reason="Account closed", note="Mail of the bank")

    assert offered(finance, payout) == {"paid"}
    act(finance, Instruction.objects.get(), "withdraw", note="It has paid")
    assert offered(finance, payout) == {"paid", "failed"}
    act(finance, payout, "failed", reason="Account closed", note="It has not")
    asked, another = Instruction.objects.latest("asked_at"), office(Role.FINANCE, "another")
    act(another, asked, "decline", note="Ask the bank")
    assert offered(finance, payout) == {"paid", "failed"}


def test_a_refusal_of_what_has_been_paid_since_is_not_to_be_approved(
    office: Office, api: Api, settings
) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    payout = live_payout(api, amount=120_000)
    batch_of()
    act(office(Role.FINANCE), payout, "failed", reason="Account closed", note="Mail of the bank")
    asked, another = Instruction.objects.get(), office(Role.FINANCE, "another")
    assert offered(another, asked) == {"approve", "decline"}
    read(statement(entry(120_000, order_of(payout))))

    assert offered(another, asked) == {"decline"}
    page = another.get(page_of_act(asked, "decline")).content.decode()
    assert "The payout is paid now: decline or withdraw this." in page


def test_a_refund_that_waits_leaves_nothing_to_refund(office: Office, merchant: Merchant) -> None:
    payment, support = paid_payment(merchant, 250_000), office(Role.SUPPORT)
    assert "refund" in offered(support, payment)
    request = refund_request(payment, 250_000)
    instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())

    assert "refund" not in offered(support, payment)
    page = support.get(page_of(payment)).content.decode()
    assert "<dt>Left to refund</dt><dd>B$0.00 BSD</dd>" in page


def test_an_approval_takes_the_right_of_what_is_approved(
    office: Office, merchant: Merchant
) -> None:
    key = issue_key(merchant=merchant, livemode=True, name="Till", now=utc_now()).key
    act(office(Role.ADMINISTRATOR), key, "roll", overlap_hours="0", reason="Leaked")
    asked = Instruction.objects.get()

    assert offered(office(Role.FINANCE), asked) == {"decline"}
    assert offered(office(Role.ADMINISTRATOR, "second"), asked) == {"approve", "decline"}


def test_glass_is_carried_out_only_after_its_delay(office: Office) -> None:
    two_administrators()
    ask_for_account(at_desk(), "friend")
    asked = waiting()
    act(at_desk(), asked, "break-glass", note="The other is on a plane")

    assert offered(at_desk(), asked) == {"withdraw"}
    with time_machine.travel(utc_now() + BREAK_GLASS_DELAY, tick=False):
        assert offered(at_desk(), asked) == {"withdraw", "carry-out"}


def test_one_s_own_account_is_changed_by_another(office: Office) -> None:
    browser = office(Role.ADMINISTRATOR)

    own = offered(browser, User.objects.get(username="administrator"))
    other = offered(browser, staff_user(office))

    assert own == {"lift-lockout"}
    assert other == {"lift-lockout", "roles", "reset", "close"}


def staff_user(office: Office) -> User:
    office(Role.SUPPORT)
    return User.objects.get(username="support")


def test_nothing_is_paid_out_to_a_suspended_merchant(office: Office) -> None:
    payout = one_of_each()[Payout]
    merchant, finance = Merchant.objects.get(), office(Role.FINANCE)
    assert "pay-out" in offered(finance, merchant)
    Merchant.objects.update(status="suspended")

    assert "pay-out" not in offered(finance, merchant)
    page = finance.get(page_of(payout)).content.decode()
    assert "It is held: the merchant is suspended." in page
    assert "It leaves on" not in page


def test_a_payout_to_a_closed_account_is_not_said_to_leave(office: Office) -> None:
    payout = one_of_each()[Payout]
    BankAccount.objects.update(closed_at=utc_now(), closed_by="staff:finance")

    page = office(Role.FINANCE).get(page_of(payout)).content.decode()

    assert "Its bank account was closed: with the next run it fails" in page
    assert "It leaves on" not in page


def test_the_least_of_a_payout_is_said_as_money(office: Office, merchant: Merchant) -> None:
    paid_payment(merchant, 400_000)
    money = {"mode": "test", "currency": "BSD", "reason": "Requested", "note": "By mail"}

    page = act(office(Role.FINANCE), merchant, "pay-out", amount="0.01", **money).content.decode()

    assert "At least B$" in page


@pytest.mark.each_on_postgres(ITS_OWN)
def test_what_cannot_be_paid_out_is_said_as_money(
    office: Office, merchant: Merchant, settings: Any
) -> None:
    settings.PAYOUT_RESERVES = ["tests.payouts.test_request.keep_three_hundred"]  # of test money
    paid_payment(merchant, 400_000)
    finance = office(Role.FINANCE)
    money = {"currency": "BSD", "reason": "Requested", "note": "By mail", "amount": "4,000.00"}
    form = finance.get(page_of_act(merchant, "pay-out")).content.decode()
    short = act(finance, merchant, "pay-out", mode="test", **money).content.decode()
    missing = act(finance, merchant, "pay-out", mode="live", **money).content.decode()

    kept = balances_of(merchant_id=merchant.pk, livemode=False).available[0].amount
    available = formats.money(kept, "BSD")
    assert f"Available, test: {available}" in form
    assert "Kept for waiting refunds, test: B$3.00 BSD" in form
    assert f"There is not enough money in the account. Available, test: {available}." in short
    assert "There is no bank account to pay out to. Set the merchant" in missing


@pytest.mark.each_on_postgres(ITS_OWN)
def test_what_no_endpoint_was_sent_cannot_be_resent(office: Office) -> None:
    one_of_each()
    support = office(Role.SUPPORT)
    assert "resend" in offered(support, Delivery.objects.latest("pk").event)
    payment = Payment.objects.get()
    assert "resend" in offered(support, payment)
    other = paid_payment(MerchantFactory())
    event = Event.objects.get(resource_id=other.pk, type="payment.completed")

    assert "resend" not in offered(support, other)
    assert "resend" not in offered(support, event)


def test_what_is_switched_off_gets_nothing_again(office: Office) -> None:
    made = one_of_each()
    delivery, endpoint, support = made[Delivery], made[Webhook], office(Role.SUPPORT)
    assert offered(support, delivery) == {"resend"}
    assert offered(support, endpoint) == set()  # nothing has failed there
    ended = {"status": DeliveryStatus.FAILED, "next_attempt_at": None, "ended_at": utc_now()}
    Delivery.objects.filter(pk=delivery.pk).update(**ended)
    assert offered(support, endpoint) == {"resend"}
    Webhook.objects.update(is_active=False, disabled_reason="requested")

    assert offered(support, delivery) == set()
    assert offered(support, endpoint) == set()


def test_files_are_offered_to_those_who_may_have_them(office: Office) -> None:
    made = one_of_each()
    make_due(now=utc_now() + timedelta(minutes=2))

    for model in (PayoutBatch, AccountStatement):
        row = made[model]
        file = address_of(model, "file", row.pk, "csv")
        assert file in office(Role.FINANCE).get(page_of(row)).content.decode()
        assert file not in office(Role.VIEWER).get(page_of(row)).content.decode()


def test_what_a_run_is_about_has_no_page(office: Office) -> None:
    instruction = one_of_each()[Instruction]
    Instruction.objects.update(task="run_payouts", kind="payout", subject_id="run")

    page = office(Role.FINANCE).get(page_of(instruction)).content.decode()

    assert "/resendrun/run/" not in page
    assert office(Role.FINANCE).get(page_of_act(instruction, "note")).status_code == 404


def test_a_closed_account_says_who_closed_it_and_advises_nothing() -> None:
    two_administrators()
    colleague = User.objects.get(username=SECOND)
    act(at_desk(), colleague, "close", reason="Left the company")

    page = at_desk().get(page_of(colleague))

    [said] = page.context["answer"].words
    assert said.startswith("Closed by administrator, ")
    assert said.endswith(": Left the company.")
    assert advised(page) == []
