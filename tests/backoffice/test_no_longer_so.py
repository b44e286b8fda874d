"""What was to happen is not said of what has ended otherwise, or whose time is over."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Model

from backoffice.admin.payouts import EXPECTED, LEAVES
from backoffice.models import ExportRun, Instruction
from backoffice.request_answer import overtaken
from backoffice.resource.page_urls import page_of
from backoffice.roles import InstructionKind, Role
from backoffice.services.exports import LEASE
from backoffice.services.instruction_kinds import (
    BANK_CREDIT,
    BANK_ENTRY,
    PAYOUT_FAILURE,
    PAYOUT_RETURN,
    SET_ASIDE,
    UNDO_MATCH,
    WAIT_AGAIN,
)
from core.clock import utc_now
from funding.models import TopUp
from funding.services import credit_top_up
from links.models import PaymentLink
from messages.models import Message
from payments.models import Payment
from payouts.models import BankEntry, Payout
from payouts.statuses import PayoutStatus
from tests.backoffice.conftest import Office

pytestmark = pytest.mark.django_db
Rows = dict[type[Model], Any]


def facts_of(office: Office, row: Model) -> dict[str, Any]:
    page = office(Role.ADMINISTRATOR).get(page_of(row))
    return {label: value for each in page.context["sections"] for label, value in each.facts}


def test_what_was_paid_does_not_expire(office: Office, rows: Rows, payment: Payment) -> None:
    assert "Expires" in facts_of(office, payment)
    assert "Expires" not in facts_of(office, rows[Payment])


def test_a_link_that_was_ended_does_not_expire(office: Office, rows: Rows) -> None:
    link = rows[PaymentLink]
    assert facts_of(office, link)["Expires"] == "never"

    PaymentLink.objects.filter(pk=link.pk).update(status="deactivated", ended_at=utc_now())

    assert "Expires" not in facts_of(office, link)


def test_money_that_came_is_not_expected(office: Office, rows: Rows) -> None:
    top_up = rows[TopUp]
    assert "Expected by" in facts_of(office, top_up)

    credit_top_up(top_up_id=top_up.pk, amount=2_000, actor="bank", now=utc_now())

    assert "Expected by" not in facts_of(office, top_up)


@pytest.mark.parametrize(
    ("status", "shown"),
    [("paid", [True, True]), ("returned", [True, False]), ("canceled", [False, False])],
)
def test_a_payout_that_was_not_paid_does_not_arrive(status: str, shown: list[bool]) -> None:
    day = utc_now().date()
    payout = Payout(status=status, send_date=day, arrival_date=day)

    assert [bool(field.fact(payout)) for field in (LEAVES, EXPECTED)] == shown


def test_a_message_that_a_crash_interrupted_is_not_being_sent(office: Office, rows: Rows) -> None:
    message, ago = rows[Message], utc_now() - timedelta(minutes=1)
    Message.objects.filter(pk=message.pk).update(status="sending", lease_until=ago)

    page = office(Role.SUPPORT).get(page_of(rows[Payment]))

    [told] = [each for each in page.context["timeline"] if "Receipt to p•••" in str(each.title)]
    assert (str(told.title), told.tone) == ("Receipt to p•••@example.com: interrupted", "bad")


def test_an_export_that_no_worker_has_begun_waits_for_its_turn(office: Office, rows: Rows) -> None:
    run, now = rows[ExportRun], utc_now()

    def said() -> str:
        answer = office(Role.ADMINISTRATOR).get(page_of(run)).context["answer"]
        return str(answer.words[0])

    assert said().startswith("It waits for its turn, requested ")
    ExportRun.objects.update(lease_until=now + LEASE, row_count=2_000)
    assert said().startswith("It is being made, 2,000 rows so far, requested ")
    ExportRun.objects.update(lease_until=now)
    assert said().startswith("It waits for its turn, requested ")


@pytest.mark.parametrize(
    ("task", "status", "word"),
    [
        (PAYOUT_FAILURE, PayoutStatus.IN_TRANSIT, ""),
        (PAYOUT_FAILURE, PayoutStatus.PAID, "paid"),
        (PAYOUT_RETURN, PayoutStatus.PAID, ""),
        (PAYOUT_RETURN, PayoutStatus.RETURNED, "returned"),
    ],
)
def test_an_ending_that_was_requested_is_overtaken_by_another(
    task: InstructionKind, status: PayoutStatus, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Payout.objects, "get", lambda pk: Payout(pk=pk, status=status))

    words = overtaken(Instruction(task=task, subject_id="po_1"))

    assert words == (word and f"The payout is {word} now: decline or withdraw this.")


@pytest.mark.parametrize("named", [{"arguments": {"entry": "ben_1"}}, {"subject_id": "ben_1"}])
@pytest.mark.parametrize(
    ("task", "state", "words"),
    [
        (BANK_ENTRY, "unmatched", ""),
        (BANK_ENTRY, "other", "has been set aside since"),
        (BANK_CREDIT, "matched", "has been matched since"),
        (SET_ASIDE, "unmatched", ""),
        (SET_ASIDE, "matched", "has been matched since"),
        (WAIT_AGAIN, "other", ""),
        (WAIT_AGAIN, "unmatched", "waits for an explanation now"),
    ],
)
def test_what_was_requested_of_an_entry_is_overtaken_by_another_explanation(
    named: dict[str, Any], task: str, state: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {"ben_1": BankEntry(state=state)}
    monkeypatch.setattr(BankEntry.objects, "get", lambda pk: rows[pk])

    said = overtaken(Instruction(task=task, **named))

    assert said == (words and f"The bank entry {words}: decline or withdraw this.")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (BankEntry(state="matched", payout_id="po_1"), ""),
        (BankEntry(state="matched", batch_id="po_1"), ""),
        (BankEntry(state="matched", payout_id="po_2"), "has been matched since"),
        (BankEntry(state="unmatched"), "waits for an explanation now"),
    ],
)
def test_undoing_a_match_is_overtaken_by_another_match(
    entry: BankEntry, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BankEntry.objects, "get", lambda pk: entry)

    said = overtaken(Instruction(task=UNDO_MATCH, subject_id="po_1", arguments={"entry": "ben_1"}))

    assert said == (words and f"The bank entry {words}: decline or withdraw this.")
