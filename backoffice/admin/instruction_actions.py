"""What staff can do with an instruction: decide, collect the result, or break the glass."""

from datetime import datetime

from django import forms

from backoffice.actions import Action, ActionContext, ActionResult, as_returned
from backoffice.audit import last_done
from backoffice.forms import ActionForm, TextAreaField
from backoffice.models import AuditOutcome, Instruction
from backoffice.request_answer import overtaken, refund_words, sentence, warnings_of
from backoffice.roles import InstructionKind, Right
from backoffice.services.decisions import (
    BREAK,
    BREAK_GLASS_DELAY,
    FINISH,
    TOLD,
    approve,
    break_glass,
    decline,
    finish_break_glass,
    is_for_others,
    withdraw,
)
from backoffice.services.instruction_kinds import BREAKABLE, REFUND, TASKS
from backoffice.services.merchants import collect_key
from backoffice.staff import Staff
from backoffice.statuses import InstructionStatus
from core.clock import request_now
from core.durations import in_words
from core.signatures import is_altered
from payments.models import Payment


class DecisionForm(ActionForm):
    note = TextAreaField(max_length=2_000, required=False, label="Why")

    def lines(self) -> list[str]:
        return [sentence(self.row)]

    def warnings(self) -> list[str]:
        refused = " ".join(map(str, self.non_field_errors()))
        return [words for words in warnings_of(self.row) if words not in refused]


class ApproveForm(DecisionForm):
    """It rejects a stale view of what can be refunded: another refund may be for the same."""

    guard = "expected_available"
    expected_available = forms.IntegerField(widget=forms.HiddenInput(), required=False)

    def shown(self) -> int | None:
        if self.row.task != REFUND or is_altered(self.row):
            return None
        return Payment.objects.get(pk=self.row.subject_id).amount_refundable


class DeclineForm(DecisionForm):
    note = TextAreaField(max_length=2_000, label="Why")


def _is_waiting(instruction: Instruction, now: datetime) -> bool:
    """Return whether it can be decided on: it waits, and is as the service wrote it."""
    is_open = instruction.status_at(now) == InstructionStatus.WAITING
    return is_open and instruction.task in TASKS and not is_altered(instruction)


def _may_break(instruction: Instruction, now: datetime) -> bool:
    if not _is_waiting(instruction, now) or instruction.glass_broken_at:
        return False
    return InstructionKind(instruction.kind) in BREAKABLE


def _is_broken(instruction: Instruction, now: datetime) -> bool:
    return _is_waiting(instruction, now) and instruction.glass_broken_at is not None


def _collect(context: ActionContext) -> ActionResult:
    secret = collect_key(staff=context.staff, instruction_id=context.row.pk, now=context.now)
    return ActionResult(
        "Hand it to the merchant.",
        secret=secret,
        secret_name="The live key",  # noqa: S106  # a name of one
    )


def _approved(instruction: Instruction) -> ActionResult:
    held = refund_words(instruction)
    return ActionResult(f"Approved and carried out. {held}".strip(), is_warning=bool(held))


def _alarmed(instruction: Instruction) -> ActionResult:
    told = _told(BREAK, instruction, AuditOutcome.ASKED)
    return ActionResult(f"Told: {told}. You can carry it out after the delay.")


def _carried_out_alone(instruction: Instruction) -> ActionResult:
    return ActionResult(f"Carried out. Told: {_told(FINISH, instruction, AuditOutcome.DONE)}.")


def _told(act: str, instruction: Instruction, outcome: AuditOutcome) -> str:
    entry = last_done(act, instruction.pk, outcome)
    return entry.after[TOLD] if entry else ""


def _is_own(instruction: Instruction, staff: Staff) -> bool:
    return instruction.asked_by_id == staff.user_id


def _may_decline(instruction: Instruction, staff: Staff) -> bool:
    return not is_for_others(instruction, staff)


def _may_approve(instruction: Instruction, staff: Staff) -> bool:
    """Return whether an approval would not be refused outright; it takes the task's right, too."""
    is_theirs = staff.may(TASKS[instruction.task].right) and _may_decline(instruction, staff)
    return is_theirs and not overtaken(instruction)


def _may_finish(instruction: Instruction, staff: Staff) -> bool:
    broken_at = instruction.glass_broken_at
    is_over = broken_at is not None and request_now() >= broken_at + BREAK_GLASS_DELAY
    return is_over and _is_own(instruction, staff)


INSTRUCTION_ACTIONS: tuple[Action, ...] = (
    Action(
        title="Approve",
        service=approve,
        message=_approved,
        available=_is_waiting,
        right=Right.APPROVE,
        form=ApproveForm,
        about="It takes effect at once.",
        icon="check",
        main=True,
        shown_to=_may_approve,
    ),
    Action(
        title="Decline",
        service=decline,
        message="Declined. Nothing was done.",
        available=_is_waiting,
        right=Right.APPROVE,
        form=DeclineForm,
        icon="close",
        danger=True,
        shown_to=_may_decline,
    ),
    Action(
        title="Withdraw",
        service=withdraw,
        message="Withdrawn. Nothing was done.",
        available=_is_waiting,
        right=Right.VIEW_TRADE,
        form=DecisionForm,
        about="Only the requester can withdraw it.",
        icon="undo",
        shown_to=_is_own,
    ),
    Action(
        title="Break glass",
        service=break_glass,
        message=_alarmed,
        available=_may_break,
        right=Right.STAFF,
        form=DeclineForm,
        about="For when no one can approve. All Administrators are told by e-mail, all staff"
        " if there are fewer than two. Another Administrator can decline;"
        f" after {in_words(BREAK_GLASS_DELAY)} you can carry it out alone.",
        icon="notification_important",
        danger=True,
        shown_to=_is_own,
    ),
    Action(
        name="carry-out",
        title="Carry out alone",
        service=finish_break_glass,
        message=_carried_out_alone,
        available=_is_broken,
        right=Right.STAFF,
        form=DeclineForm,
        about="Once the delay has passed. The same people are notified again.",
        icon="notification_important",
        danger=True,
        shown_to=_may_finish,
    ),
    Action(
        name="collect",
        title="Collect key",
        right=Right.LIVE_KEYS,
        form=ActionForm,
        service=_collect,
        message=as_returned,
        about="It is shown to you once, and to no one else.",
        icon="key",
        main=True,
        available=lambda instruction, now: instruction.sealed_result != "",
        shown_to=_is_own,
    ),
)
