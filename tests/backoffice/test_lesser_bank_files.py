"""A bank file that does less by its approval than was shown is imported, and no other."""

from typing import Any

import pytest

from backoffice.errors import BankFileStale
from backoffice.models import Instruction
from backoffice.services import bank_file_summary
from payouts.models import BankEntry, BankFile, Payout
from payouts.order_references import end_to_end_id
from tests.backoffice.conftest import Office
from tests.backoffice.uploading import upload, waiting
from tests.client import Api
from tests.funding.money_in import LIVE, customer_with, erased, held, ordered, transfer
from tests.payouts.bank_files import entry, notification, order_of, read
from tests.payouts.batching import batch_of, live_payout

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("debtor_account")]


@pytest.fixture
def customers(db) -> list[Any]:
    return [customer_with(0, f"{LIVE[:-1]}{number}", livemode=True) for number in range(3)]


def paid(customer: Any) -> Any:
    word = ordered(customer).reference
    return transfer(2_000, word, reference=f"IN {word}")


def asked_since(before: set[str]) -> Instruction:
    return Instruction.objects.exclude(pk__in=before).get()


def test_two_files_of_one_day_are_uploaded_together(office: Office, customers, approve) -> None:
    """Either may be approved first: what the other has brought meanwhile is known by then."""
    first, both, last = map(paid, customers)
    upload(office, notification(first, both, message_id="N-1"))
    one = waiting()
    upload(office, notification(both, last, message_id="N-2"))
    other = asked_since({one.pk})

    assert [approve(each).status_code for each in (one, other)] == [302, 302]

    assert [held(customer) for customer in customers] == [2_000] * 3


def test_what_is_left_out_does_not_make_room_for_another(office: Office, api: Api, approve) -> None:
    """Two entries of one amount: one comes by another file, the other's name becomes a payout's."""
    known, scheduled = (live_payout(api, amount=490_000) for _ in range(2))
    batch_of(payout_ids=[known.pk])
    debit = entry(490_000, order_of(known), reference="OUT 1")
    name = end_to_end_id(Payout.objects.select_related("statement").get(pk=scheduled.pk))
    Payout.objects.filter(pk=scheduled.pk).update(livemode=False)  # no one can know it yet
    upload(office, notification(debit, entry(490_000, name, reference="OUT 2")))
    asked = waiting()
    assert [row[1:3] for row in asked.arguments["says"]] == [
        ["nothing of ours", "1"],
        ["payout", "1"],
    ]
    read(notification(debit, message_id="N-2"))
    Payout.objects.filter(pk=scheduled.pk).update(livemode=True)

    assert BankFileStale.message in approve(asked).content.decode()

    assert waiting().pk == asked.pk
    assert Payout.objects.get(pk=scheduled.pk).status == "scheduled"


def test_what_waits_for_a_person_by_then_may(office: Office, customers, approve) -> None:
    """A customer who is gone by then gets nothing; the others do."""
    here, gone = customers[:2]
    lines = [paid(here), paid(gone)]
    upload(office, notification(*lines))
    erased(gone)

    assert approve(waiting()).status_code == 302

    assert (held(here), held(gone)) == (2_000, 0)
    assert BankEntry.objects.filter(state="unmatched").count() == 1


def test_more_than_can_be_kept_are_to_be_as_they_were_shown(
    office: Office, customers, approve, monkeypatch
) -> None:
    monkeypatch.setattr(bank_file_summary, "EFFECTS_KEPT", 1)
    first, both = map(paid, customers[:2])
    upload(office, notification(first, both, message_id="N-1"))
    asked = waiting()
    assert "effects" not in asked.arguments
    read(notification(both, message_id="N-2"))

    assert BankFileStale.message in approve(asked).content.decode()

    assert (BankFile.objects.count(), held(customers[0])) == (1, 0)
