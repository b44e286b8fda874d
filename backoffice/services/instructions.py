"""What staff ask for: at once within one's limit, above it when another person agrees.

The limits are checked here, and so is who may approve: a page only shows what comes of it.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Sum

from backoffice.audit import AuditAction, AuditRecord, audited, snapshot
from backoffice.errors import (
    Forbidden,
    FormAlreadySubmitted,
    InstructionDecided,
    InstructionExpired,
    RequesterNotAuthorized,
    SelfApproval,
)
from backoffice.models import AuditOutcome, Instruction, InstructionFile, Note, NoteSubject
from backoffice.roles import RIGHTS, InstructionKind, Right, limit_of
from backoffice.services.administrators import is_first_administrator
from backoffice.services.independence import refuse_dependent_approver
from backoffice.services.instruction_kinds import TASKS, InstructionTask
from backoffice.staff import Staff, roles_of
from backoffice.statuses import InstructionStatus
from core import crypto
from core.ids import new_id
from core.sweeping import sweep
from merchants.callers import Caller

DAY = timedelta(days=1)
LIFETIME = timedelta(days=7)
_AUDITED = ("status", "amount", "currency", "task", "subject_id", "result_id")


@dataclass(frozen=True, kw_only=True)
class InstructionRequest:
    """What staff ask for. `secret` is stored encrypted and never shown; so is `sealed_file`."""

    task: str
    subject_id: str
    livemode: bool
    amount: int
    currency: str
    reason: str
    note: str
    form_key: str
    merchant_id: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    secret: str = field(default="", repr=False)
    sealed_file: str = field(default="", repr=False)
    note_on: NoteSubject | None = None


def instruct(*, staff: Staff, request: InstructionRequest, now: datetime) -> Instruction:
    """Carry out what staff ask for, or keep it for a second person to approve.

    Raises Forbidden, FormAlreadySubmitted, and the errors of the task itself.
    """
    task = TASKS[request.task]
    action = AuditAction(
        act=task.title.lower(),
        right=task.right,
        subject_type=_subject_type(task, request.subject_id),
        subject_id=request.subject_id,
        reason=request.reason,
        note=request.note,
    )
    with audited(staff=staff, action=action, now=now) as record:
        # Held until the end: two forms at once must not both fit into what is left of a limit.
        User.objects.select_for_update(of=("self",)).get(pk=staff.user_id)
        instruction = _write_down(staff, request, now)
        task.check(instruction, now)
        if _is_within_limit(staff, task, instruction, now):
            carry_out(task, instruction, staff.actor, user_id=None, now=now)
        else:
            record.outcome = AuditOutcome.ASKED
        _note(staff, request, now)
        record.after = snapshot(instruction, *_AUDITED)
    return instruction


def approve(*, staff: Staff, instruction_id: str, note: str, now: datetime) -> Instruction:
    """Approve a colleague's instruction and carry it out. Raises SelfApproval for one's own.

    Raises Forbidden, IndependentApproverRequired, InstructionNotFound, InstructionDecided,
    InstructionExpired, RequesterNotAuthorized, and the errors of the task: then it goes on waiting.
    """
    action = decision("approve", Right.APPROVE, instruction_id, note)
    with audited(staff=staff, action=action, now=now) as record:
        instruction = lock_waiting(instruction_id, now)
        task = TASKS[instruction.task]
        _refuse_own(staff, instruction)
        if task.kind == InstructionKind.STAFF and instruction.subject_id == staff.username:
            raise SelfApproval
        refuse_dependent_approver(asked_by=instruction.asked_by, decides=staff, now=now)
        if not staff.may(task.right):
            raise Forbidden(right=f"is missing: {task.right.value}")
        _refuse_gone(instruction, task)
        record.before = snapshot(instruction, *_AUDITED)
        instruction.decision_note = note
        actor = f"staff:{instruction.asked_by.get_username()}"
        carry_out(task, instruction, actor, user_id=staff.user_id, now=now)
        record.after = snapshot(instruction, *_AUDITED)
    return instruction


def decline(*, staff: Staff, instruction_id: str, note: str, now: datetime) -> Instruction:
    """Decline a colleague's instruction. Raises as `approve`, without the approver's checks."""
    action = decision("decline", Right.APPROVE, instruction_id, note)
    with audited(staff=staff, action=action, now=now) as record:
        instruction = lock_waiting(instruction_id, now)
        _refuse_own(staff, instruction)
        _decide(instruction, InstructionStatus.DECLINED, staff, note, record, now)
    return instruction


def withdraw(*, staff: Staff, instruction_id: str, note: str, now: datetime) -> Instruction:
    """Withdraw one's own instruction. Raises Forbidden for a colleague's."""
    asked = Instruction.objects.select_related("asked_by").one(instruction_id)
    action = decision("withdraw", TASKS[asked.task].right, instruction_id, note)
    with audited(staff=staff, action=action, now=now) as record:
        instruction = Instruction.objects.select_related("asked_by").locked(instruction_id)
        if instruction.asked_by_id != staff.user_id:
            raise Forbidden("Only the requester can withdraw this.")
        _decide(instruction, InstructionStatus.WITHDRAWN, staff, note, record, now)
    return instruction


def expire_due(*, now: datetime) -> int:
    """Expire the instructions that have waited too long; return how many."""
    due = Instruction.objects.filter(status=InstructionStatus.WAITING, lapses_at__lte=now)
    ids = list(due.order_by("lapses_at").values_list("pk", flat=True)[:500])
    return sweep("expire instructions", partial(_expire, now=now), ids)


@transaction.atomic
def _expire(instruction_id: str, *, now: datetime) -> bool:
    instruction = Instruction.objects.locked(instruction_id)
    instruction.transition_to(InstructionStatus.EXPIRED, now=now, user_id=None)
    return True


def spent_in_a_day(*, user_id: int, kind: str, livemode: bool, now: datetime) -> int:
    """Return what someone has moved alone in the last 24 hours, in the smallest unit.

    Of all currencies together: a hundred and fifty of them would be as many limits.
    """
    alone = Instruction.objects.filter(
        asked_by_id=user_id,
        kind=kind,
        livemode=livemode,
        status=InstructionStatus.CARRIED_OUT,
        decided_by=None,
        asked_at__gt=now - DAY,
    )
    return int(alone.aggregate(total=Sum("amount"))["total"] or 0)


def needs_approval(
    *, staff: Staff, task: InstructionTask, amount: int, livemode: bool, now: datetime
) -> bool:
    """Return whether a second person has to approve."""
    if task.kind == InstructionKind.STAFF and is_first_administrator(staff.user_id):
        return False  # a first installation: there has been no one to ask yet
    limit = limit_of(staff.roles, task.kind)
    if task.always_two or amount > limit.each:
        return True
    spent = spent_in_a_day(user_id=staff.user_id, kind=task.kind, livemode=livemode, now=now)
    return spent + amount > limit.a_day


def _is_within_limit(
    staff: Staff, task: InstructionTask, instruction: Instruction, now: datetime
) -> bool:
    return not needs_approval(
        staff=staff,
        task=task,
        amount=instruction.amount,
        livemode=instruction.livemode,
        now=now,
    )


def decision(act: str, right: Right, instruction_id: str, note: str) -> AuditAction:
    """Return the act of deciding about an instruction, for the audit trail."""
    return AuditAction(
        act=act, right=right, subject_type="instruction", subject_id=instruction_id, note=note
    )


def _subject_type(task: InstructionTask, subject_id: str) -> str:
    if task.kind == InstructionKind.STAFF:
        return "staff"
    if task.kind == InstructionKind.BANK_FILE:
        return "bankfile"
    kinds = {"pay": "payment", "cus": "customer", "mer": "merchant", "key": "apikey"}
    return kinds.get(subject_id.partition("_")[0], "payout")


def _write_down(staff: Staff, request: InstructionRequest, now: datetime) -> Instruction:
    instruction = Instruction(
        id=new_id("ins", now),
        kind=TASKS[request.task].kind.value,
        task=request.task,
        subject_id=request.subject_id,
        merchant_id=request.merchant_id,
        livemode=request.livemode,
        amount=request.amount,
        currency=request.currency,
        arguments=request.arguments,
        sealed_arguments=crypto.encrypt(request.secret) if request.secret else "",
        reason=request.reason,
        note=request.note,
        form_key=request.form_key,
        asked_by_id=staff.user_id,
        asked_at=now,
        lapses_at=now + LIFETIME,
    )
    try:
        with transaction.atomic():
            instruction.save(force_insert=True)
    except IntegrityError:
        if not Instruction.objects.filter(form_key=request.form_key).exists():
            raise
        raise FormAlreadySubmitted from None
    if request.sealed_file:
        InstructionFile.objects.create(instruction=instruction, sealed_content=request.sealed_file)
    return instruction


def carry_out(
    task: InstructionTask,
    instruction: Instruction,
    actor: str,
    *,
    user_id: int | None,
    now: datetime,
) -> None:
    """Do what a locked instruction says. `user_id` is the second person; None: there is none."""
    caller = Caller.for_staff(livemode=instruction.livemode, actor=actor)
    instruction.result_id = task.carry_out(instruction, caller, now)
    instruction.transition_to(InstructionStatus.CARRIED_OUT, now=now, user_id=user_id)


def _note(staff: Staff, request: InstructionRequest, now: datetime) -> None:
    if request.note_on and request.note:
        Note.objects.create(
            subject_type=request.note_on,
            subject_id=request.subject_id,
            text=request.note,
            author_id=staff.user_id,
            created_at=now,
        )


def lock_waiting(instruction_id: str, now: datetime) -> Instruction:
    """Lock an instruction. Raises InstructionNotFound, InstructionDecided, InstructionExpired."""
    instruction = Instruction.objects.select_related("asked_by").locked(instruction_id)
    if instruction.status != InstructionStatus.WAITING:
        raise InstructionDecided(status=f"is {instruction.get_status_display()}")
    if instruction.lapses_at <= now:
        raise InstructionExpired
    return instruction


def _refuse_own(staff: Staff, instruction: Instruction) -> None:
    if instruction.asked_by_id == staff.user_id:
        raise SelfApproval


def _refuse_gone(instruction: Instruction, task: InstructionTask) -> None:
    """Require that the requester still has the right: a closed account has none."""
    roles = roles_of(instruction.asked_by)
    if not any(task.right in RIGHTS[role] for role in roles):
        raise RequesterNotAuthorized


def _decide(
    instruction: Instruction,
    status: InstructionStatus,
    staff: Staff,
    note: str,
    record: AuditRecord,
    now: datetime,
) -> None:
    record.before = snapshot(instruction, *_AUDITED)
    instruction.decision_note = note
    instruction.transition_to(status, now=now, user_id=staff.user_id)
    record.after = snapshot(instruction, *_AUDITED)
