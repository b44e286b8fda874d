"""How a waiting instruction ends: approved, declined, withdrawn, expired, or done alone.

Who may approve is checked here; a page only shows the result. The requester is notified.

Without a second person the way is slow and loud, and for staff and live keys, never for money. A
day passes between the request and the act. Every Administrator is notified at both ends, or all
staff if there are fewer than two. In the meantime anyone who may approve can decline, independent
of the requester or not, and the requester can withdraw.
"""

from datetime import datetime, timedelta
from functools import partial

import structlog
from django.contrib.auth.models import User
from django.db import transaction

from backoffice.audit import AuditAction, AuditRecord, audited, snapshot
from backoffice.errors import (
    Forbidden,
    GlassNotBroken,
    InstructionDecided,
    InstructionExpired,
    RequesterNotAuthorized,
    SelfApproval,
)
from backoffice.models import AuditOutcome, Instruction
from backoffice.roles import InstructionKind, Right
from backoffice.services.bank_uploads import parse_pending_upload
from backoffice.services.independence import refuse_dependent_approver
from backoffice.services.instruction_kinds import (
    BREAKABLE,
    REFUND,
    TASKS,
    outcome_of,
    task_of,
    title_of,
)
from backoffice.services.instructions import AUDITED, carry_out, gather_for_payout, lock_people
from backoffice.services.money import refuse_unseen_refund
from backoffice.services.staff_mail import mail_staff, tell_administrators, url_of
from backoffice.staff import Staff, rights_of
from backoffice.statuses import InstructionStatus
from core.clock import iso
from core.sweeping import sweep

BATCH = 500
BREAK_GLASS_DELAY = timedelta(hours=24)
BREAK, FINISH = "break glass", "finish break glass"
TOLD = "told"  # who was, in words: what the audit entry says beside the state
_AUDITED = ("status", "task", "subject_id", "glass_broken_at")
logger = structlog.get_logger(__name__)


def approve(
    *,
    staff: Staff,
    instruction_id: str,
    note: str,
    now: datetime,
    expected_available: int | None = None,
) -> Instruction:
    """Approve a colleague's instruction and carry it out. Raises SelfApproval for one's own.

    `expected_available` is what the approver's form said could be refunded, in cents: another
    refund since then raises RefundFormStale. Raises Forbidden, IndependentApproverRequired,
    InstructionNotFound, InstructionDecided, InstructionExpired, RequesterNotAuthorized, and the
    errors of the task, after which it waits on.
    """
    action = decision("approve", Right.APPROVE, instruction_id, note)
    upload = parse_pending_upload(instruction_id)
    waiting = Instruction.objects.filter(pk=instruction_id, status=InstructionStatus.WAITING)
    if asked := waiting.first():
        gather_for_payout(asked)
    with audited(staff=staff, action=action, now=now) as record:
        if asked:
            lock_people(staff, TASKS[asked.task], asked.subject_id, asked_by=asked.asked_by_id)
        instruction = lock_waiting(instruction_id, now)
        task = task_of(instruction.task, upload)
        _refuse_own(staff, instruction)
        refuse_dependent_approver(asked_by=instruction.asked_by, decides=staff, now=now)
        if not staff.may(task.right):
            raise Forbidden(right=f"is missing: {task.right.value}")
        _refuse_requester(instruction)
        record.refuse_late = partial(_refuse_requester, instruction)  # who may be demoted meanwhile
        if instruction.task == REFUND:
            refuse_unseen_refund(instruction, expected_available)
        record.before = snapshot(instruction, *AUDITED)
        instruction.decision_note = note
        actor = f"staff:{instruction.asked_by.get_username()}"
        carry_out(task, instruction, actor, user_id=staff.user_id, now=now)
        record.after = snapshot(instruction, *AUDITED)
        _tell(instruction, staff, now)
    return instruction


def decline(*, staff: Staff, instruction_id: str, note: str, now: datetime) -> Instruction:
    """Decline a colleague's instruction. Raises as `approve`, except for the approver's checks."""
    action = decision("decline", Right.APPROVE, instruction_id, note)
    with audited(staff=staff, action=action, now=now) as record:
        instruction = lock_waiting(instruction_id, now)
        _refuse_own(staff, instruction)
        _decide(instruction, InstructionStatus.DECLINED, staff, note, record, now)
        _tell(instruction, staff, now)
    return instruction


def withdraw(*, staff: Staff, instruction_id: str, note: str, now: datetime) -> Instruction:
    """Withdraw one's own instruction. Raises Forbidden for a colleague's."""
    asked = Instruction.objects.one(instruction_id)
    action = decision("withdraw", TASKS[asked.task].right, instruction_id, note)
    with audited(staff=staff, action=action, now=now) as record:
        instruction = Instruction.objects.select_related("asked_by").locked(instruction_id)
        if instruction.asked_by_id != staff.user_id:
            raise Forbidden("Only the requester can withdraw this.")
        _decide(instruction, InstructionStatus.WITHDRAWN, staff, note, record, now)
    return instruction


def expire_due(*, now: datetime) -> int:
    """Expire the instructions that have waited too long; return how many."""
    due = Instruction.objects.filter(status=InstructionStatus.WAITING, expires_at__lte=now)
    ids = list(due.order_by("expires_at").values_list("pk", flat=True)[:BATCH])
    return sweep("expire instructions", partial(_expire, now=now), ids)


@transaction.atomic
def _expire(instruction_id: str, *, now: datetime) -> bool:
    instruction = Instruction.objects.select_related("asked_by").locked(instruction_id)
    instruction.transition_to(InstructionStatus.EXPIRED, now=now, user_id=None)
    _tell(instruction, None, now)
    return True


def decision(act: str, right: Right, instruction_id: str, note: str) -> AuditAction:
    """Return the act of deciding on an instruction, for the audit trail."""
    return AuditAction(act, right, "instruction", instruction_id, note=note)


def lock_waiting(instruction_id: str, now: datetime) -> Instruction:
    """Lock an instruction. Raises InstructionNotFound, InstructionDecided, InstructionExpired."""
    instruction = Instruction.objects.select_related("asked_by").locked(instruction_id)
    if instruction.status != InstructionStatus.WAITING:
        raise InstructionDecided(status=f"is {instruction.get_status_display()}")
    if instruction.expires_at <= now:
        raise InstructionExpired
    return instruction


def is_for_others(instruction: Instruction, staff: Staff) -> bool:
    """Return whether it is for others to decide: the requester, or who it is about, must not.

    A thief of an account would decline that its access is reset.
    """
    is_about_them = (
        instruction.kind == InstructionKind.STAFF and instruction.subject_id == staff.username
    )
    return is_about_them or instruction.asked_by_id == staff.user_id


def _refuse_own(staff: Staff, instruction: Instruction) -> None:
    if is_for_others(instruction, staff):
        raise SelfApproval


def _refuse_requester(instruction: Instruction) -> None:
    """Raise RequesterNotAuthorized without the right now; a closed account has none."""
    requester = User.objects.get(pk=instruction.asked_by_id)
    if TASKS[instruction.task].right not in rights_of(requester):
        raise RequesterNotAuthorized


def _decide(
    instruction: Instruction,
    status: InstructionStatus,
    staff: Staff,
    note: str,
    record: AuditRecord,
    now: datetime,
) -> None:
    record.before = snapshot(instruction, *AUDITED)
    instruction.decision_note = note
    instruction.transition_to(status, now=now, user_id=staff.user_id)
    record.after = snapshot(instruction, *AUDITED)


def _tell(instruction: Instruction, staff: Staff | None, now: datetime) -> None:
    """Plan an e-mail to the requester, if they have an address."""
    if not instruction.asked_by.email:
        return
    status, by = outcome_of(instruction, now), f" by {staff.username}" if staff else ""
    what = f"{title_of(instruction)} ({instruction.subject_id}): {status}{by}."
    note = f"\nNote: {instruction.decision_note}" if instruction.decision_note else ""
    mail_staff(
        "staff_decision",
        instruction.asked_by.email,
        about=instruction.pk,
        subject=f"{TASKS[instruction.task].title}: {status}",
        text=f"{what}{note}\n\n{url_of(instruction)}",
        now=now,
    )


def break_glass(*, staff: Staff, instruction_id: str, note: str, now: datetime) -> Instruction:
    """Start the delay after which no second person is needed, and raise the alarm.

    Raises Forbidden, also for a colleague's request and for money, InstructionNotFound,
    InstructionDecided, InstructionExpired.
    """
    asked = Instruction.objects.one(instruction_id)
    action = decision(BREAK, TASKS[asked.task].right, instruction_id, note)
    with audited(staff=staff, action=action, now=now) as record:
        instruction = _own(staff, instruction_id, now)
        if instruction.glass_broken_at is not None:
            raise InstructionDecided("The delay has begun already.")
        record.before = snapshot(instruction, *_AUDITED)
        instruction.glass_broken_at = now
        instruction.save(update_fields=["glass_broken_at"])
        record.outcome = AuditOutcome.ASKED
        takes_effect = iso(now + BREAK_GLASS_DELAY)
        words = (
            f"may do it without a second person from {takes_effect} on, unless one of you declines"
        )
        told = _raise_alarm(staff, instruction, words, note, now)
        record.after = snapshot(instruction, *_AUDITED) | {TOLD: told}
    return instruction


def finish_break_glass(
    *, staff: Staff, instruction_id: str, note: str, now: datetime
) -> Instruction:
    """Carry out what no second person has approved, after the delay.

    Raises as `break_glass`, GlassNotBroken before its time, and the errors of the task.
    """
    asked = Instruction.objects.one(instruction_id)
    task = TASKS[asked.task]
    action = decision(FINISH, task.right, instruction_id, note)
    with audited(staff=staff, action=action, now=now) as record:
        lock_people(staff, task, asked.subject_id)
        instruction = _own(staff, instruction_id, now)
        broken_at = instruction.glass_broken_at
        if broken_at is None or now < broken_at + BREAK_GLASS_DELAY:
            raise GlassNotBroken
        record.before = snapshot(instruction, *_AUDITED)
        instruction.decision_note = note
        carry_out(task, instruction, staff.actor, user_id=None, now=now)
        words = "has done it without a second person"
        told = _raise_alarm(staff, instruction, words, note, now)
        record.after = snapshot(instruction, *_AUDITED) | {TOLD: told}
    return instruction


def _own(staff: Staff, instruction_id: str, now: datetime) -> Instruction:
    instruction = lock_waiting(instruction_id, now)
    if instruction.asked_by_id != staff.user_id:
        raise Forbidden("Only the requester can do this.")
    if InstructionKind(instruction.kind) not in BREAKABLE:
        raise Forbidden("Money always waits for a second person.")
    return instruction


def _raise_alarm(
    staff: Staff, instruction: Instruction, words: str, note: str, now: datetime
) -> str:
    """Notify the Administrators, including the requester, and the log; return who was told."""
    title = TASKS[instruction.task].title
    told = tell_administrators(
        subject=f"break glass: {title}",
        text=f"“{title}” ({instruction.subject_id}): {staff.username} {words}.\n"
        f"Reason: {instruction.reason}\nWhy no one else: {note}\n\n"
        f"{url_of(instruction)}",
        about=instruction.pk,
        now=now,
    )
    logger.error(
        "glass_broken",
        instruction=instruction.pk,
        task=instruction.task,
        actor=staff.actor,
        status=instruction.status,
    )
    return told
