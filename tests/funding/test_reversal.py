"""What was added and is gone after all is taken back, by two people, once"""

import re

import pytest
from django.db import transaction

from backoffice.models import AuditEntry, Instruction
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from core.errors import InvalidAmount
from customers.services import wallet
from funding.errors import TopUpStatusUnfit
from funding.models import TopUp
from funding.reconciliation import check_top_ups
from funding.reversal import refuse_more, reverse_top_up
from ledger.errors import InsufficientBalance
from ledger.models import HOUSE, Purpose, Transfer, TransferKind
from ledger.services import Movement, account_for, post_transfers
from messages.models import Message
from tests.backoffice.acting import act
from tests.backoffice.conftest import sign_in
from tests.checkout.shopper import Shopper
from tests.funding.money_in import booked, customer_with, erased, held, ordered, transfer
from tests.ledger.funding import problems

pytestmark = pytest.mark.django_db
WHY = {"reason": "Taken back by the bank", "note": "Mail of the bank"}


@pytest.fixture
def top_up() -> TopUp:
    """A live transfer of 20.00 that has come."""
    made = ordered(customer_with(0, "+12424567890", livemode=True), 2_000)
    booked(transfer(2_000, made.reference))
    made.refresh_from_db()
    return made


def reversal(top_up, amount=2_000):
    return reverse_top_up(
        top_up_id=top_up.pk, amount=amount, cause="x", actor="staff:ann", now=utc_now()
    )


def test_it_takes_the_money_back_and_tells_the_customer(top_up):
    reversal(top_up)

    assert held(top_up.customer) == 0
    top_up.refresh_from_db()
    assert (top_up.status, top_up.amount_reversed) == ("reversed", 2_000)
    moved = Transfer.objects.get(kind=TransferKind.ADJUSTMENT)
    assert (moved.reference, moved.amount) == (top_up.pk, 2_000)
    told = Message.objects.filter(kind="top_up").latest("created_at")
    assert "B$20.00 BSD was taken back from your" in told.text
    assert [*check_top_ups(), *problems()] == []


def test_a_part_is_taken_back_where_the_rest_was_spent(top_up):
    spend(top_up.customer, 500)
    with pytest.raises(InsufficientBalance):
        reversal(top_up)
    top_up.refresh_from_db()
    assert top_up.status == "succeeded"

    reversal(top_up, 1_500)

    assert held(top_up.customer) == 0
    assert list(check_top_ups()) == []


def test_once_and_no_more_than_has_come(top_up):
    with pytest.raises(InvalidAmount):
        reversal(top_up, 2_001)
    reversal(top_up, 100)

    with pytest.raises(TopUpStatusUnfit):
        reversal(top_up, 100)

    assert held(top_up.customer) == 1_900


@pytest.mark.parametrize(
    ("received", "amount", "is_refused"),
    [(100, 0, True), (100, 1, False), (100, 100, False), (100, 101, True), (None, 1, True)],
)
def test_from_one_cent_to_all_that_has_come_is_taken_back(received, amount, is_refused):
    came = TopUp(amount_received=received)
    if not is_refused:
        refuse_more(came, amount)
        return
    with pytest.raises(InvalidAmount, match=f"must be from 1 to {received or 0} of the smallest"):
        refuse_more(came, amount)


def test_a_long_cause_is_kept_as_far_as_it_fits(top_up):
    reverse_top_up(top_up_id=top_up.pk, amount=1, cause="x" * 300, actor="staff:ann", now=utc_now())

    move = top_up.transitions.latest("pk")
    assert (move.actor, move.cause) == ("staff:ann", "x" * 255)


def test_what_has_not_come_is_not_taken_back():
    waiting = ordered(customer_with(3_000, "+12424567890", livemode=True))

    with pytest.raises((TopUpStatusUnfit, InvalidAmount)):
        reversal(waiting)

    assert held(waiting.customer) == 3_000


def test_two_people_reverse_it(top_up):
    act(sign_in(Role.FINANCE), top_up, "reverse", amount="20.00", **WHY)
    assert held(top_up.customer) == 2_000
    asked = Instruction.objects.get(task="reverse_top_up")

    act(sign_in(Role.FINANCE, "another"), asked, "approve", note="So says the statement")

    assert held(top_up.customer) == 0
    assert AuditEntry.objects.filter(subject_type="topup", subject_id=top_up.pk).exists()


def test_who_approves_reads_whose_it_is_until_the_customer_is_erased(top_up):
    act(sign_in(Role.FINANCE), top_up, "reverse", amount="20.00", **WHY)
    browser, page = sign_in(Role.FINANCE, "another"), page_of(Instruction.objects.get())

    moved = "Reversal of a top-up: B$20.00 BSD out of the wallet"
    said = f"{moved} of +1 242 ••• 7890, requested by finance."
    assert said in browser.get(page).content.decode()
    erased(top_up.customer)
    assert f"{moved}, requested by finance." in browser.get(page).content.decode()


def test_the_page_says_how_much_and_why(top_up):
    """Someone else's money has reached us; and what was spent is not taken back."""
    reversal(top_up, 900)

    page = Shopper().visit(f"/top-ups/{top_up.pk}")

    why = "the money did not reach us after all, or was meant for someone else."
    assert "<h1>Taken back</h1>" in page.text
    assert f"B$9.00 BSD was taken back from the wallet: {why}" in page.text
    assert "A transfer with this reference is added" not in page.text
    assert "Add money" not in page.text  # to a wallet that is not the reader's


def test_the_page_names_transaction_and_time_as_a_receipt_does(top_up):
    """It called the transaction a receipt number, which is another one, and named no offset."""
    shopper = Shopper()
    shopper.visit(f"/top-ups/{top_up.pk}")

    assert f"<dt>Transaction</dt><dd><code>{top_up.transaction_id}</code></dd>" in shopper.text
    assert re.search(r"<dt>Time</dt><dd>[^<]+ \(GMT\u2212\d\d:\d\d\)</dd>", shopper.text)
    assert "Receipt number" not in shopper.text


def spend(customer, amount):
    to, funding = wallet(customer, "BSD"), account_of_house()
    movement = Movement(
        kind=TransferKind.ADJUSTMENT, reference="adj_x", debit=to, credit=funding, amount=amount
    )
    with transaction.atomic():
        post_transfers(transaction_id="txn_x", movements=[movement], now=utc_now())


def account_of_house():
    return account_for(owner=HOUSE, purpose=Purpose.FUNDING, currency="BSD", livemode=True)
