"""Money on the word of staff: limits, second persons, and forms that are sent twice."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from backoffice.errors import (
    Forbidden,
    FormAlreadySubmitted,
    InstructionDecided,
    InstructionExpired,
    RequesterNotAuthorized,
    SelfApproval,
)
from backoffice.models import AuditEntry, AuditOutcome, Instruction, Note, NoteSubject
from backoffice.roles import Role
from backoffice.services.decisions import approve, decline, expire_due, withdraw
from backoffice.services.instructions import LIFETIME, instruct
from backoffice.statuses import InstructionStatus
from core.clock import utc_now
from payments.errors import PaymentNotCompleted
from payments.models import Payment
from refunds.errors import RefundAmountMismatch, RefundExceedsPayment
from refunds.models import Refund
from tests.backoffice.conftest import staff_as
from tests.backoffice.rows import refund_request
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db

SUPPORT_EACH, SUPPORT_A_DAY = 10_000, 50_000


def test_it_refunds_at_once_within_the_limit(paid: Payment) -> None:
    instruction = instruct(
        staff=staff_as(Role.SUPPORT), request=refund_request(paid, SUPPORT_EACH), now=utc_now()
    )

    assert instruction.status == InstructionStatus.CARRIED_OUT
    assert instruction.decided_by is None
    refund = Refund.objects.get()
    assert (refund.pk, refund.amount, refund.created_by) == (
        instruction.result_id,
        SUPPORT_EACH,
        "staff:support",
    )
    assert refund.reason == "Returned goods"
    assert Note.objects.get().text == "Called at noon"
    entry = AuditEntry.objects.get()
    assert (entry.act, entry.outcome, entry.subject_id) == ("refund", AuditOutcome.DONE, paid.pk)
    assert (entry.actor, entry.address, entry.reason) == ("support", "10.0.0.7", "Returned goods")


@pytest.mark.parametrize(("note", "note_on"), [("", NoteSubject.PAYMENT), ("Called at noon", None)])
def test_no_note_is_kept_without_words_or_beside_nothing(
    paid: Payment, note: str, note_on: NoteSubject | None
) -> None:
    request = refund_request(paid, SUPPORT_EACH, note=note, note_on=note_on)

    instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())

    assert not Note.objects.exists()


def test_it_asks_for_a_second_person_above_the_limit(paid: Payment) -> None:
    instruction = instruct(
        staff=staff_as(Role.SUPPORT), request=refund_request(paid, SUPPORT_EACH + 1), now=utc_now()
    )

    assert instruction.status == InstructionStatus.WAITING
    assert not Refund.objects.exists()
    assert AuditEntry.objects.get().outcome == AuditOutcome.ASKED


def test_splitting_a_refund_gains_nothing(paid: Payment) -> None:
    support, statuses = staff_as(Role.SUPPORT), []
    for _ in range(7):
        paid.refresh_from_db()
        request = refund_request(paid, SUPPORT_EACH)
        statuses.append(instruct(staff=support, request=request, now=utc_now()).status)

    assert statuses == ["carried_out"] * 5 + ["waiting"] * 2
    assert sum(Refund.objects.values_list("amount", flat=True)) == SUPPORT_A_DAY


def test_a_day_later_the_limit_is_whole_again(paid: Payment) -> None:
    support, yesterday = staff_as(Role.SUPPORT), utc_now() - timedelta(hours=25)
    for _ in range(5):
        paid.refresh_from_db()
        instruct(staff=support, request=refund_request(paid, SUPPORT_EACH), now=yesterday)
    paid.refresh_from_db()

    instruction = instruct(staff=support, request=refund_request(paid, SUPPORT_EACH), now=utc_now())

    assert instruction.status == InstructionStatus.CARRIED_OUT


def test_another_person_approves(paid: Payment) -> None:
    waiting = _waiting(paid)

    approve(staff=staff_as(Role.FINANCE), instruction_id=waiting.pk, note="Fine", now=utc_now())

    waiting.refresh_from_db()
    assert waiting.status == InstructionStatus.CARRIED_OUT
    assert waiting.decided_by is not None
    assert waiting.decided_by.username == "finance"
    refund = Refund.objects.get()
    assert (refund.amount, refund.created_by) == (20_000, "staff:support")
    assert AuditEntry.objects.latest("sequence").act == "approve"


def test_no_one_approves_their_own(paid: Payment) -> None:
    finance = staff_as(Role.FINANCE)
    waiting = instruct(staff=finance, request=refund_request(paid, 200_000), now=utc_now())
    assert waiting.status == InstructionStatus.WAITING

    with pytest.raises(SelfApproval):
        approve(staff=finance, instruction_id=waiting.pk, note="", now=utc_now())
    with pytest.raises(SelfApproval):
        decline(staff=finance, instruction_id=waiting.pk, note="", now=utc_now())

    waiting.refresh_from_db()
    assert waiting.status == InstructionStatus.WAITING
    assert not Refund.objects.exists()
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.act, entry.outcome) == ("decline", AuditOutcome.REFUSED)
    assert entry.error.startswith("SELF_APPROVAL")


def test_the_database_refuses_a_self_approval_too(paid: Payment) -> None:
    waiting = _waiting(paid)

    with pytest.raises(IntegrityError), transaction.atomic():
        Instruction.objects.filter(pk=waiting.pk).update(decided_by=waiting.asked_by)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.SUPPORT, Role.DEVELOPER])
def test_who_may_not_approve_does_not(paid: Payment, role: Role) -> None:
    waiting = _waiting(paid)

    with pytest.raises(Forbidden):
        approve(staff=staff_as(role, "other"), instruction_id=waiting.pk, note="", now=utc_now())

    assert AuditEntry.objects.latest("sequence").outcome == AuditOutcome.FORBIDDEN
    assert not Refund.objects.exists()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.DEVELOPER])
def test_who_may_not_refund_does_not(paid: Payment, role: Role) -> None:
    with pytest.raises(Forbidden):
        instruct(staff=staff_as(role), request=refund_request(paid, 1), now=utc_now())

    assert not Instruction.objects.exists()


def test_a_form_that_is_sent_twice_is_one_instruction(paid: Payment) -> None:
    support, request = staff_as(Role.SUPPORT), refund_request(paid, 100)
    instruct(staff=support, request=request, now=utc_now())

    with pytest.raises(FormAlreadySubmitted):
        instruct(staff=support, request=request, now=utc_now())

    assert Refund.objects.count() == 1


def test_a_stale_form_is_refused(paid: Payment) -> None:
    stale = refund_request(paid, 100)
    instruct(staff=staff_as(Role.SUPPORT), request=refund_request(paid, 100), now=utc_now())

    with pytest.raises(RefundAmountMismatch):
        instruct(staff=staff_as(Role.FINANCE), request=stale, now=utc_now())

    assert Refund.objects.count() == 1
    assert Instruction.objects.count() == 1


def test_what_changed_meanwhile_is_refused_at_the_approval(paid: Payment) -> None:
    waiting = _waiting(paid)
    instruct(staff=staff_as(Role.SUPPORT), request=refund_request(paid, 100), now=utc_now())

    with pytest.raises(RefundAmountMismatch):
        approve(staff=staff_as(Role.FINANCE), instruction_id=waiting.pk, note="", now=utc_now())

    waiting.refresh_from_db()
    assert waiting.status == InstructionStatus.WAITING


def test_no_more_than_what_is_left_is_asked_for(paid: Payment) -> None:
    with pytest.raises(RefundExceedsPayment):
        instruct(staff=staff_as(Role.SUPPORT), request=refund_request(paid, 500_001), now=utc_now())

    assert not Instruction.objects.exists()


def test_what_is_not_paid_is_not_refunded(merchant) -> None:
    request = refund_request(PaymentFactory(merchant=merchant), 100)
    with pytest.raises(PaymentNotCompleted, match="status: is created"):
        instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())
    assert not Instruction.objects.exists()


def test_what_was_decided_stays_so(paid: Payment) -> None:
    waiting, finance = _waiting(paid), staff_as(Role.FINANCE)
    decline(staff=finance, instruction_id=waiting.pk, note="No", now=utc_now())

    with pytest.raises(InstructionDecided):
        approve(staff=finance, instruction_id=waiting.pk, note="", now=utc_now())

    waiting.refresh_from_db()
    assert (waiting.status, waiting.decision_note) == ("declined", "No")


def test_the_requester_withdraws(paid: Payment) -> None:
    waiting = _waiting(paid)
    with pytest.raises(Forbidden):
        withdraw(staff=staff_as(Role.FINANCE), instruction_id=waiting.pk, note="", now=utc_now())

    withdraw(staff=staff_as(Role.SUPPORT), instruction_id=waiting.pk, note="", now=utc_now())

    waiting.refresh_from_db()
    assert waiting.status == InstructionStatus.WITHDRAWN


def test_it_expires_after_a_week(paid: Payment) -> None:
    waiting, later = _waiting(paid), utc_now() + LIFETIME
    with pytest.raises(InstructionExpired):
        approve(staff=staff_as(Role.FINANCE), instruction_id=waiting.pk, note="", now=later)

    assert expire_due(now=later) == 1
    waiting.refresh_from_db()
    assert waiting.status == InstructionStatus.EXPIRED


def test_what_a_closed_account_asked_for_is_not_done(paid: Payment) -> None:
    waiting = _waiting(paid)
    User.objects.filter(username="support").update(is_active=False)

    with pytest.raises(RequesterNotAuthorized):
        approve(staff=staff_as(Role.FINANCE), instruction_id=waiting.pk, note="", now=utc_now())

    assert not Refund.objects.exists()


def _waiting(payment: Payment) -> Instruction:
    payment.refresh_from_db()
    return instruct(
        staff=staff_as(Role.SUPPORT), request=refund_request(payment, 20_000), now=utc_now()
    )
