"""The way without a second person: slow and loud. For staff and live keys, never for money.

A day passes between the request and the act. Every Administrator is notified at both ends, or all
staff if there are fewer than two. In the meantime anyone who may approve can decline, independent
of the requester or not, and the requester can withdraw.
"""

from datetime import datetime, timedelta

import structlog

from backoffice.audit import audited, snapshot
from backoffice.errors import Forbidden, GlassNotBroken, InstructionDecided
from backoffice.models import AuditOutcome, Instruction
from backoffice.roles import InstructionKind
from backoffice.services.administrators import tell_administrators, url_of
from backoffice.services.decisions import decision, lock_waiting
from backoffice.services.instruction_kinds import BREAKABLE, TASKS
from backoffice.services.instructions import carry_out, lock_people
from backoffice.staff import Staff
from core.clock import iso

BREAK_GLASS_DELAY = timedelta(hours=24)
BREAK, FINISH = "break glass", "finish break glass"
TOLD = "told"  # who was, in words: what the audit entry says beside the state
_AUDITED = ("status", "task", "subject_id", "glass_broken_at")
logger = structlog.get_logger(__name__)


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
