"""A match with the wrong payout is undone by two: what the pages say before, meanwhile and after"""

import pytest
from django.db.models import Model

from backoffice.models import Instruction
from backoffice.resource.page_urls import list_of, page_of
from backoffice.roles import Role
from backoffice.services.instruction_kinds import UNDO_MATCH
from backoffice.services.instructions import InstructionRequest, instruct
from core.clock import utc_now
from payouts.bank.by_hand import match_batch_by_hand, match_by_hand, undo_match
from payouts.errors import BankEntryNotFound
from payouts.models import BankEntry, Payout
from payouts.services import mark_sent, record_paid
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.client import Api
from tests.payouts.bank_files import entry, notification, order_of, read, statement
from tests.payouts.batching import batch_of, live_payout

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("debtor_account")]
UNBOOKED = "It is on no bank statement yet."
UNDOING = "Undoing of a match of B$12.50 BSD"


@pytest.fixture
def payout(api: Api) -> Payout:
    found = live_payout(api, amount=1250)
    batch_of()
    return Payout.objects.get(pk=found.pk)


@pytest.fixture
def told(payout: Payout) -> BankEntry:
    read(statement(entry(1250, reference="RENT")))
    return match_by_hand(
        entry_id=BankEntry.objects.get().pk, payout_id=payout.pk, actor="staff:ann", now=utc_now()
    )


def page(office: Office, row: Model, name: str = "") -> str:
    return office(Role.FINANCE, name).get(page_of(row)).content.decode()


def test_a_paid_payout_says_until_when_no_statement_has_it(office, payout) -> None:
    """After its match was undone, it read only that it was paid, although nothing proved that."""
    own = entry(1250, order_of(payout), reference="OWN")
    read(notification(own))
    assert UNBOOKED in page(office, payout)

    read(statement(own, message_id="M-2", number="2026-2"))

    assert UNBOOKED not in page(office, payout)


def test_one_that_no_run_has_ordered_waits_for_no_statement(office, api: Api) -> None:
    """A statement names a payout by its order: one without would be said to be missing for ever."""
    payout = live_payout(api)
    mark_sent(payout_id=payout.pk, actor="staff:ann", now=utc_now())
    record_paid(payout_id=payout.pk, actor="staff:ann", now=utc_now())

    shown = page(office, payout)

    assert "Paid on" in shown
    assert UNBOOKED not in shown


def asked_to_undo(office: Office, told: BankEntry) -> Instruction:
    act(office(Role.FINANCE), told, "undo-match", reason="It was the rent", note="Asked them")
    return Instruction.objects.get(task="undo_match")


def test_it_is_requested_by_one_and_undone_by_another(office, payout, told) -> None:
    asked = asked_to_undo(office, told)

    for row in (told, payout):
        assert UNDOING in page(office, row)
        assert "waits for a colleague&#x27;s approval: nothing has moved yet" in page(office, row)
    assert page_of_act(told, "undo-match") not in page(office, told)
    shown = page(office, asked, "another")
    assert page_of(told) in shown
    assert page_of(payout) in shown
    listed = office(Role.FINANCE).get(list_of(Instruction), {"mode": "live"}).content.decode()
    assert payout.merchant.name in listed

    act(office(Role.FINANCE, "another"), asked, "approve", note="So it is")

    told.refresh_from_db()
    assert told.is_waiting
    assert UNBOOKED in page(office, payout)
    for row in (told, payout):
        assert f"{UNDOING}: carried out" in page(office, row)
    why = f'Was matched with <a class="bo-link" href="{page_of(payout)}">{payout.pk}</a>: It was'
    assert why in page(office, told)


def test_its_form_names_what_the_entry_is_matched_with(office, payout, told) -> None:
    """It spoke of “that payout or run”, which is on another page."""
    form = office(Role.FINANCE).get(page_of_act(told, "undo-match")).content.decode()

    assert f"It is matched with {payout.pk} of {payout.merchant.name}." in form


def test_its_form_names_the_run_of_several_shops(office, payout) -> None:
    read(statement(entry(1250, reference="RENT")))
    found = BankEntry.objects.get()
    match_batch_by_hand(
        entry_id=found.pk, batch_id=payout.batch_id, actor="staff:ann", now=utc_now()
    )

    form = office(Role.FINANCE).get(page_of_act(found, "undo-match")).content.decode()

    assert f"It is matched with {payout.batch_id}." in form


def test_a_request_that_another_undoing_has_overtaken_cannot_be_approved(
    office, payout, told
) -> None:
    asked = asked_to_undo(office, told)
    undo_match(
        entry_id=told.pk, matched_with=payout.pk, cause="Rent", actor="staff:eve", now=utc_now()
    )

    shown = page(office, asked, "another")

    assert "The bank entry waits for an explanation now: decline or withdraw this." in shown
    assert page_of_act(asked, "approve") not in shown
    assert page_of_act(asked, "decline") in shown


def test_a_request_of_the_previous_release_is_still_approved(office, payout, told) -> None:
    """It was about the entry, and named the payout as an argument."""
    request = InstructionRequest(
        task=UNDO_MATCH,
        subject_id=told.pk,
        livemode=True,
        amount=told.booked_amount,
        currency=told.currency,
        reason="It was the rent",
        note="",
        form_key="1",
        arguments={"matched_with": payout.pk},
    )
    asked = instruct(staff=staff_as(Role.FINANCE), request=request, now=utc_now())

    shown = page(office, asked, "another")
    assert "Matched with" in shown
    assert page_of_act(asked, "approve") in shown
    act(office(Role.FINANCE, "another"), asked, "approve", note="So it is")

    told.refresh_from_db()
    assert told.is_waiting


def test_the_previous_release_refuses_a_request_of_this_one(office, payout, told) -> None:
    """It takes the subject for the entry, and what that was matched with from the arguments."""
    asked = asked_to_undo(office, told)

    with pytest.raises(BankEntryNotFound):
        undo_match(
            entry_id=asked.subject_id,
            matched_with=asked.arguments["matched_with"],
            cause=asked.reason,
            actor="staff:eve",
            now=utc_now(),
        )

    assert "Matched with" not in page(office, asked, "another")  # it is what the request is about


def test_a_payout_links_the_entry_whose_match_keeps_its_own_out(office, payout, told) -> None:
    own = entry(1250, order_of(payout), reference="OWN")
    read(statement(own, message_id="M-2", number="2026-2"))

    link = f'If a person matched <a class="bo-link" href="{page_of(told)}">{told.pk}</a> with it'
    assert link in page(office, payout)


def test_an_entry_says_when_it_was_matched_by_two(office, payout) -> None:
    read(statement(entry(1250, reference="RENT")))
    told = BankEntry.objects.get()
    act(office(Role.FINANCE), told, "match", payout=payout.pk, reason="r", note="n")
    asked = Instruction.objects.get()

    act(office(Role.FINANCE, "another"), asked, "approve", note="So it is")

    assert "Match of a bank entry of B$12.50 BSD: carried out" in page(office, told)
