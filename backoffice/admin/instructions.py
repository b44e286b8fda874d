"""Approvals: what staff ask to do with money, who requested it, and who approved."""

from datetime import datetime
from typing import Any

from backoffice import formats
from backoffice.actions import Action
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.payouts import RUN_FIELDS
from backoffice.forms import ActionForm, TextAreaField
from backoffice.models import Instruction
from backoffice.page_parts import Section, SupportAnswer, Table, TimelineEntry, facts
from backoffice.resource.display_fields import (
    AMOUNT,
    MODE,
    STATUS,
    Amount,
    Field,
    Instant,
    Reference,
)
from backoffice.resource.fieldsets import Fieldset
from backoffice.resource.filters import DayFilter, ModeFilter, choice_filter, link_filter
from backoffice.resource.tables import Related
from backoffice.roles import InstructionKind, Right
from backoffice.services.instruction_kinds import TASKS
from backoffice.services.instructions import approve, decline, withdraw
from backoffice.staff import Staff
from backoffice.statuses import InstructionStatus
from payouts.batches import MAX_PAYOUTS
from payouts.models import Payout


class DecisionForm(ActionForm):
    note = TextAreaField(max_length=2_000, required=False, label="Why")

    def lines(self) -> list[str]:
        return [_sentence(self.row)]


class DeclineForm(DecisionForm):
    note = TextAreaField(max_length=2_000, label="Why")


def _decision(name: str, title: str, decide: Any, message: str, **more: Any) -> Action:
    """Return the action that decides on an instruction as one of the services does."""
    return Action(
        name=name,
        title=title,
        service=lambda context: decide(
            staff=context.staff,
            instruction_id=context.row.pk,
            note=context.data["note"],
            now=context.now,
        ),
        message=message,
        available=lambda instruction, now: instruction.status == InstructionStatus.WAITING,
        **more,
    )


def _is_someone_elses(instruction: Instruction, staff: Staff) -> bool:
    return instruction.asked_by_id != staff.user_id


def _sentence(instruction: Instruction) -> str:
    task = TASKS[instruction.task]
    amount = (
        f" of {formats.money(instruction.amount, instruction.currency)}"
        if instruction.amount
        else ""
    )
    return f"{task.title}{amount}, requested by {instruction.asked_by.get_username()}."


WHAT = Field("What", lambda instruction: TASKS[instruction.task].title)
REASON = Field("Reason", "reason")


class InstructionAdmin(OfficeAdmin):
    list_select_related = ("asked_by", "decided_by")
    list_display = (
        Instant("Requested", "asked_at"),
        WHAT,
        AMOUNT,
        STATUS,
        Field("By", "asked_by.get_username"),
        Field("Decided by", "decided_by.get_username"),
        REASON,
        MODE,
    )
    list_filter = (
        choice_filter("status", "status", InstructionStatus.choices),
        choice_filter("kind", "kind", [(kind.value, kind.value) for kind in InstructionKind]),
        DayFilter,
        ModeFilter,
        link_filter("about", "subject", "subject_id"),
    )
    row_actions = (
        _decision(
            "approve",
            "Approve",
            approve,
            "Approved and carried out.",
            right=Right.APPROVE,
            form=DecisionForm,
            about="It takes effect at once.",
            icon="check",
            main=True,
            shown_to=_is_someone_elses,
        ),
        _decision(
            "decline",
            "Decline",
            decline,
            "Declined. No money was moved.",
            right=Right.APPROVE,
            form=DeclineForm,
            icon="close",
            danger=True,
            shown_to=_is_someone_elses,
        ),
        _decision(
            "withdraw",
            "Withdraw",
            withdraw,
            "Withdrawn. No money was moved.",
            right=Right.VIEW_TRADE,
            form=DecisionForm,
            about="Only the requester can withdraw it.",
            icon="undo",
            shown_to=lambda instruction, staff: instruction.asked_by_id == staff.user_id,
        ),
    )
    page = (
        Fieldset(
            "Request",
            WHAT,
            Amount("Amount", "amount", shown=lambda instruction: instruction.amount),
            Reference("About", "subject_id"),
            REASON,
            Field("Note", "note"),
            MODE,
            STATUS,
            Reference("Result", "result_id"),
        ),
    )
    related = (
        Related(
            title="Payouts",
            rows=lambda instruction: (
                Payout.objects.filter(pk__in=instruction.arguments.get("payouts", ()))
                .select_related("merchant", "bank_account")
                .order_by("pk")
            ),
            fields=RUN_FIELDS,
            model=Payout,
            shown=MAX_PAYOUTS,
        ),
    )

    def heading(self, row: Instruction) -> str:
        return TASKS[row.task].title

    def answer(self, row: Instruction, now: datetime) -> SupportAnswer:
        tone = formats.tone(row.status)
        words = [_sentence(row)]
        if row.status == InstructionStatus.WAITING:
            words.append(f"A colleague must approve it by {formats.clock(row.lapses_at, now)}.")
        return SupportAnswer(words, tone)

    def sections(self, row: Instruction) -> list[Section]:
        return [*super().sections(row), Section("Details", facts(*_arguments(row)))]

    def tables(self, row: Instruction) -> list[Table]:
        """Show which payouts a run takes: what is approved is these, and no others."""
        return [table for table in super().tables(row) if table.rows]

    def timeline(self, row: Instruction) -> list[TimelineEntry]:
        asked = TimelineEntry(
            row.asked_at, "pan_tool", "Requested", actor=row.asked_by.get_username()
        )
        if row.decided_at is None:
            return [asked]
        decided = TimelineEntry(
            row.decided_at,
            "how_to_reg",
            row.get_status_display().capitalize(),
            actor=row.decided_by.get_username() if row.decided_by else "within the limit",
            details=(row.decision_note,) if row.decision_note else (),
            tone=formats.tone(row.status),
        )
        return [decided, asked]


def _arguments(instruction: Instruction) -> list[tuple[str, Any]]:
    """Return what else was asked for; what guards against a stale form is of no use to people."""
    return [
        (name.replace("_", " ").capitalize(), value)
        for name, value in instruction.arguments.items()
        if name not in ("expected_available", "payouts")
    ]
