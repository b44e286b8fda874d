"""A bank file is approved while the run that it names leaves: whichever is later sees the other."""

from types import SimpleNamespace

import pytest
from django.db import transaction

from backoffice.models import Instruction
from backoffice.roles import Role
from core.clock import utc_now
from payouts.bank.by_hand import set_aside
from payouts.bank.storage import parse_bank_file, store_bank_file
from payouts.errors import BankEntriesWaiting
from payouts.models import BankEntry, Payout, PayoutBatch
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, sign_in
from tests.backoffice.uploading import upload, waiting
from tests.client import Api
from tests.payouts.bank_files import ACCOUNT, entry, notification, read, status_report
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import given_back
from tests.races import held_up

AMOUNT = 490_000


@pytest.fixture(autouse=True)
def account(settings) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT = ACCOUNT


@pytest.fixture
def scheduled(api: Api) -> Payout:
    return live_payout(api, amount=AMOUNT)


def refusal_of_the_next_run() -> str:
    """Write what refuses a run that is not there yet: its name follows from what staff see."""
    with transaction.atomic():
        name = batch_of().message_id
        transaction.set_rollback(True)
    return status_report(SimpleNamespace(message_id=name), group="RJCT")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_run_waits_for_a_file_that_is_stored_and_then_for_a_person(scheduled: Payout) -> None:
    parsed = parse_bank_file(refusal_of_the_next_run().encode())

    def store() -> None:
        store_bank_file(parsed=parsed, livemode=True, actor="staff:ann", now=utc_now())

    assert isinstance(held_up(store, then=batch_of), BankEntriesWaiting)
    assert not PayoutBatch.objects.exists()
    assert given_back(scheduled) == 0


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_an_approval_waits_for_a_run_and_finds_that_the_file_says_more(
    office: Office, scheduled: Payout
) -> None:
    upload(office, refusal_of_the_next_run())
    asked, approver = waiting(), sign_in(Role.FINANCE, "another")
    assert [row[1] for row in asked.arguments["says"]] == ["nothing of ours"]

    def approve() -> int:
        return act(approver, asked, "approve", note="Nothing of ours").status_code

    assert held_up(batch_of, then=approve) == 422
    assert (given_back(scheduled), scheduled.status) == (0, "in_transit")
    assert not BankEntry.objects.exists()


@pytest.mark.django_db
def test_what_two_have_set_aside_one_alone_does_not_bring_back(
    office: Office, scheduled: Payout
) -> None:
    read(refusal_of_the_next_run())
    told = BankEntry.objects.get()
    set_aside(entry_id=told.pk, note="Not ours", actor="staff:ann", now=utc_now(), by_two=True)
    batch_of()
    browser = office(Role.FINANCE)

    assert browser.get(page_of_act(told, "wait-again")).status_code == 302
    act(browser, told, "wait-again-by-two", reason="It is ours", note="The bank wrote")

    read(notification(entry(700, reference="FEE"), message_id="N-9"))
    assert given_back(scheduled) == 0
    asked = Instruction.objects.get(task="wait_again")
    assert act(browser, asked, "approve", note="So it is").status_code == 422
    act(office(Role.FINANCE, "another"), asked, "approve", note="So it is")
    told.refresh_from_db()
    assert (told.is_waiting, told.problem) == (True, "Was set aside: Not ours")
    read(notification(entry(800, reference="FEE"), message_id="N-10"))
    assert (given_back(scheduled), scheduled.status) == (AMOUNT, "failed")
