"""verify_ledger proves every top-up from its transfer, and bank money from the bank's entries"""

import pytest

from funding.models import TopUp
from funding.reconciliation import check_top_ups
from payouts.models import BankEntry
from tests.funding.money_in import LIVE, booked, customer_with, ordered, transfer
from tests.ledger.command import verify

pytestmark = pytest.mark.django_db


@pytest.fixture
def top_up():
    made = ordered(customer_with(0, LIVE, livemode=True))
    booked(transfer(2_000, made.reference))
    return made


def test_it_finds_nothing_wrong_with_what_happened(top_up):
    assert list(check_top_ups()) == []
    assert verify()[0] == 0


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
def test_it_names_what_was_changed(top_up, change, sentences):
    TopUp.objects.update(**change)

    found = list(check_top_ups())

    assert len(found) == len(sentences)
    assert all(part in line for part, line in zip(sentences, found, strict=True)), found


def test_it_names_an_entry_that_was_unmatched(top_up):
    BankEntry.objects.update(state="unmatched", resolved_at=None, credited_to="")

    assert list(check_top_ups()) == [
        f"Top-up {top_up.pk} has succeeded; no entry of the bank says so."
    ]
