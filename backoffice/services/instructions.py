"""What staff request: carried out at once within their limit, or once another person approves.

The limits are enforced here; a page only shows the result.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.errors import FormAlreadySubmitted
from backoffice.models import AuditOutcome, Instruction, InstructionFile, Note, NoteSubject
from backoffice.resource.catalog import entry_of
from backoffice.roles import LIMITED, InstructionKind, limit_of
from backoffice.services.bank_uploads import parse_upload
from backoffice.services.instruction_kinds import PAY_OUT, TASKS, InstructionTask, task_of
from backoffice.services.staff_mail import is_first_of_staff, let_in_by
from backoffice.staff import Staff, lock_accounts
from backoffice.statuses import InstructionStatus
from core.ids import new_id
from core.sealed import seal
from merchants.callers import Caller
from payouts.gathering import gather_before_payout

DAY = timedelta(days=1)
LIFETIME = timedelta(days=7)
# What an instruction keeps as it was asked for.
ASKED_FOR = (
    *("task", "subject_id", "merchant_id", "livemode", "amount", "currency", "arguments"),
    *("reason", "note", "form_key"),
)
AUDITED = ("status", "amount", "currency", "task", "subject_id", "result_id")


@dataclass(frozen=True, kw_only=True)
class InstructionRequest:
    """A request of staff. `secret` and `sealed_file` are stored encrypted, and never shown."""

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
    """Carry out a request of staff, or keep it for a second person to approve.

    Raises Forbidden, FormAlreadySubmitted, and the errors of the task itself.
    """
    file = request.sealed_file
    upload = parse_upload(file, request.subject_id) if file else None
    task = task_of(request.task, upload)
    gather_for_payout(request)
    action = AuditAction(
        act=task.title.lower(),
        right=task.right,
        subject_type=_subject_type(task, request.subject_id),
        subject_id=request.subject_id,
        reason=request.reason,
        note=request.note,
    )
    with audited(staff=staff, action=action, now=now) as record:
        lock_people(staff, task, request.subject_id)
        instruction = _write_down(staff, request, now)
        waits = needs_approval(
            staff=staff, task=task, amount=request.amount, livemode=request.livemode, now=now
        )
        task.check_request(instruction, now, waits=waits)
        if waits:
            record.outcome = AuditOutcome.ASKED
        else:
            carry_out(task, instruction, staff.actor, user_id=None, now=now)
        _note(staff, request, now)
        record.after = snapshot(instruction, *AUDITED)
    return instruction


def gather_for_payout(asked: Instruction | InstructionRequest) -> None:
    """Leave less than a batch of movements to a requested payout. Call it before any lock."""
    if asked.task == PAY_OUT:
        gather_before_payout(
            merchant_id=asked.subject_id, livemode=asked.livemode, currency=asked.currency
        )


def lock_people(
    staff: Staff, task: InstructionTask, subject_id: str, *, asked_by: int | None = None
) -> None:
    """Lock the account of who acts until the transaction ends.

    So two forms at once cannot both fit into what is left of a limit, and closing the account has
    to wait. For a task about a colleague, the accounts of that colleague, of those whom they let
    in and of the requester are locked as well, all before any instruction: of two requests about
    each other, one waits.
    """
    people = Q(pk=staff.user_id)
    if task.kind == InstructionKind.STAFF:
        people |= Q(username=subject_id) | let_in_by(subject_id) | Q(pk=asked_by)
    lock_accounts(people)


def spent_in_a_day(*, user_id: int, kind: str, livemode: bool, now: datetime) -> int:
    """Return what someone moved without a second person in 24 hours, in the smallest unit.

    All currencies are added up: otherwise there would be as many limits as currencies.
    """
    alone = Instruction.objects.filter(
        asked_by_id=user_id,
        kind=kind,
        livemode=livemode,
        status=InstructionStatus.CARRIED_OUT,
        decided_by=None,
        asked_at__gt=now - DAY,
    )
    return alone.total_amount()


def needs_approval(
    *, staff: Staff, task: InstructionTask, amount: int, livemode: bool, now: datetime
) -> bool:
    """Return whether a second person has to approve."""
    if task.kind == InstructionKind.STAFF and is_first_of_staff(staff.user_id):
        return False  # a first installation: there has been no one to ask yet
    if task.alone_in_test and not livemode:
        return False
    if task.always_two or task.kind not in LIMITED:
        return True
    return amount > left_without_approval(staff=staff, kind=task.kind, livemode=livemode, now=now)


def left_without_approval(
    *, staff: Staff, kind: InstructionKind, livemode: bool, now: datetime
) -> int:
    """Return how much someone may still move at once without a second person."""
    limit = limit_of(staff.roles, kind)
    spent = spent_in_a_day(user_id=staff.user_id, kind=kind, livemode=livemode, now=now)
    return max(min(limit.each, limit.a_day - spent), 0)


def _subject_type(task: InstructionTask, subject_id: str) -> str:
    if task.kind == InstructionKind.STAFF:
        return "staff"
    if task.kind == InstructionKind.BANK_FILE:
        return "bankfile"
    entry = entry_of(subject_id)
    return str(entry.model._meta.model_name) if entry else "payout"


def _write_down(staff: Staff, request: InstructionRequest, now: datetime) -> Instruction:
    instruction = Instruction(
        id=new_id("ins", now),
        kind=TASKS[request.task].kind.value,
        **{name: getattr(request, name) for name in ASKED_FOR},
        asked_by_id=staff.user_id,
        asked_at=now,
        expires_at=now + LIFETIME,
    )
    if request.secret:
        seal(instruction, "sealed_arguments", request.secret)
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
    """Carry out a locked instruction. `user_id` is the second person; None if there is none."""
    caller = Caller.for_staff(livemode=instruction.livemode, actor=actor)
    instruction.result_id = task.carry_out(instruction, caller, now) or ""
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
