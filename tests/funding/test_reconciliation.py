"""verify_ledger proves every top-up from its transfer, and bank money from the bank's entries"""

import pytest
from django.test import override_settings

from core.clock import utc_now
from funding.models import TopUp
from funding.reconciliation import check_top_ups
from funding.reversal import reverse_top_up
from ledger.models import Transfer, TransferKind
from payouts.models import BankEntry
from tests.factories import MerchantFactory
from tests.funding.money_in import LIVE, added, booked, customer_with, ordered, transfer
from tests.ledger.command import verify
from tests.ledger.thief import change as tamper_with
from tests.payouts.merchant_balance import credit
from tests.shared_rows import shared

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker):
    """What the bank told of, made once: what a test changes of it is undone."""
    with shared(django_db_blocker, money_in) as top_up:
        yield top_up


def money_in():
    """A top-up; others by transfer, one of which was taken back; and money without a top-up."""
    with override_settings(PAYOUT_DEBTOR_ACCOUNT="000777"):
        top_up = ordered(customer_with(0, LIVE, livemode=True))
        booked(transfer(2_000, top_up.reference))
        credit(MerchantFactory(), 500)
        customer_with(300, "+12424567893", livemode=True)
        for number in ("+12424567891", "+12424567892"):
            again = ordered(customer_with(0, number, livemode=True))
            names = {"message_id": f"M{number}", "number": f"2026{number}"}
            booked(transfer(2_000, again.reference, reference=number), **names)
            if number.endswith("2"):
                take_back(again)
    return top_up.pk


@pytest.fixture
def top_up(made):
    return TopUp.objects.get(pk=made)


@pytest.fixture
def others(top_up):
    """One that was simulated, too: all right."""
    ordered(customer_with(0), 700, way="simulated")
    assert added() == 1


def take_back(top_up):
    reverse_top_up(top_up_id=top_up.pk, amount=900, cause="x", actor="staff:ann", now=utc_now())


def test_it_finds_nothing_wrong_with_what_happened(top_up):
    assert verify()[0] == 0


@pytest.mark.usefixtures("others")
def test_money_that_came_in_other_ways_is_right_too():
    assert list(check_top_ups()) == []


@pytest.mark.parametrize(
    ("change", "sentences"),
    [
        (
            {"amount_received": 2_001},
            ["without the transfer", "no entry of the bank", "did not fill"],
        ),
        (
            {"status": "pending", "amount_received": None, "transaction_id": None,
             "succeeded_at": None},
            ["is of no succeeded top-up", "did not fill", "to which no transition led"],
        ),
        ({"livemode": False}, ["without the transfer", "no entry of the bank", "another mode"]),
    ],
)  # fmt: skip
def test_it_names_what_was_changed(top_up, others, change, sentences):
    TopUp.objects.filter(pk=top_up.pk).update(**change)

    found = list(check_top_ups())

    assert len(found) == len(sentences)
    assert all(part in line for part, line in zip(sentences, found, strict=True)), found


def test_it_names_an_entry_that_was_unmatched(top_up, others):
    entry = BankEntry.objects.filter(credited_to=top_up.pk)
    entry.update(state="unmatched", resolved_at=None, credited_to="")

    assert list(check_top_ups()) == [
        f"Top-up {top_up.pk} has succeeded; no entry of the bank says so."
    ]


def test_it_names_no_entry_that_is_matched_with_a_payout(top_up, others, api, merchant):
    credit(merchant, 500)
    payout_id = api(merchant).post("/v1/payouts", {}).json()["id"]
    BankEntry.objects.filter(credited_to=top_up.pk).update(credited_to="", payout_id=payout_id)

    assert list(check_top_ups()) == [
        f"Top-up {top_up.pk} has succeeded; no entry of the bank says so."
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"amount": 2_001},
        {"currency": "USD"},
        {"livemode": False},
        {"state": "unmatched", "resolved_at": None},
    ],
)
def test_it_names_a_top_up_whose_entry_is_of_other_money(top_up, others, change):
    tamper_with(BankEntry.objects.get(credited_to=top_up.pk), **change)

    assert f"Top-up {top_up.pk} has succeeded; no entry of the bank says so." in check_top_ups()


def test_it_names_an_entry_of_another_top_up(top_up, others):
    entry = BankEntry.objects.get(credited_to=top_up.pk)
    tamper_with(entry, credited_to="top_x")

    assert list(check_top_ups()) == [
        f"Top-up {top_up.pk} has succeeded; no entry of the bank says so.",
        f"Bank entry {entry.pk} is matched with top_x, which it did not fill.",
    ]


CHANGES = [
    ("transfer", {"reference": "top_x"}),
    ("transfer", {"amount": 1}),
    ("transfer", {"currency": "USD"}),
    ("debit_account", {"purpose": "fees"}),
    ("credit_account", {"purpose": "merchant"}),
]


@pytest.mark.parametrize(
    ("place", "change"),
    [
        *CHANGES,
        ("transfer", {"livemode": False}),
        ("transfer", {"transaction_id": "txn_x"}),
        ("transfer", {"kind": "payment"}),
        ("debit_account", {"owner": "mer_x"}),
        ("credit_account", {"owner": "cus_x"}),
    ],
)
def test_it_names_a_top_up_whose_transfer_moved_something_else(top_up, others, place, change):
    moved = Transfer.objects.get(reference=top_up.pk)
    tamper_with(getattr(moved, place, moved), **change)

    sentence = f"Top-up {top_up.pk} has succeeded without the transfer of its amount."
    assert sentence in check_top_ups()


@pytest.mark.parametrize(("place", "change"), [*CHANGES, ("debit_account", {"owner": "cus_x"})])
def test_it_names_a_reversal_whose_transfer_moved_something_else(top_up, others, place, change):
    take_back(top_up)
    moved = Transfer.objects.get(reference=top_up.pk, kind=TransferKind.ADJUSTMENT)
    tamper_with(getattr(moved, place, moved), **change)

    assert f"Top-up {top_up.pk} is reversed without the transfer of its amount." in check_top_ups()


def test_it_names_a_reversal_of_what_is_not_reversed(top_up, others):
    take_back(top_up)
    moved = Transfer.objects.get(reference=top_up.pk, kind=TransferKind.ADJUSTMENT)
    values = {"status": "succeeded", "amount_reversed": None, "reversed_at": None}
    tamper_with(top_up, **values)

    assert f"Transfer {moved.pk} takes back {top_up.pk}, which is not reversed." in check_top_ups()


def test_it_names_a_reversal_of_no_top_up_once(top_up, others):
    take_back(top_up)
    moved = Transfer.objects.get(reference=top_up.pk, kind=TransferKind.ADJUSTMENT)
    tamper_with(moved, reference="top_x")

    assert [line for line in check_top_ups() if f"Transfer {moved.pk} " in line] == [
        f"Transfer {moved.pk} takes back top_x, which is not reversed."
    ]
