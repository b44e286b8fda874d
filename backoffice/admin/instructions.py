"""Approvals: what staff want done with money, who asked, and who agreed."""

from datetime import datetime
from typing import Any, ClassVar

from backoffice import formats
from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.admin.office import OfficeAdmin
from backoffice.forms import ActionForm, TextAreaField
from backoffice.models import Instruction
from backoffice.page_parts import Section, SupportAnswer, TimelineEntry, facts
from backoffice.resource.addresses import page_of_id
from backoffice.resource.columns import (
    MODE,
    Column,
    amount_column,
    instant_column,
    status_column,
    text_column,
)
from backoffice.resource.filters import DayFilter, ModeFilter, choice_filter, link_filter
from backoffice.roles import InstructionKind, Right
from backoffice.services.instruction_kinds import TASKS
from backoffice.services.instructions import approve, decline, withdraw
from backoffice.staff import Staff
from backoffice.statuses import InstructionStatus


class DecisionForm(ActionForm):
    note = TextAreaField(max_length=2_000, required=False, label="Why")

    def lines(self) -> list[str]:
        return [_sentence(self.row)]


class DeclineForm(DecisionForm):
    note = TextAreaField(max_length=2_000, label="Why")


def _approve(context: ActionContext) -> ActionResult:
    approve(
        staff=context.staff,
        instruction_id=context.row.pk,
        note=context.data["note"],
        now=context.now,
    )
    return ActionResult("Approved, and carried out.")


def _decline(context: ActionContext) -> ActionResult:
    decline(
        staff=context.staff,
        instruction_id=context.row.pk,
        note=context.data["note"],
        now=context.now,
    )
    return ActionResult("Declined. Nothing was moved.")


def _withdraw(context: ActionContext) -> ActionResult:
    withdraw(
        staff=context.staff,
        instruction_id=context.row.pk,
        note=context.data["note"],
        now=context.now,
    )
    return ActionResult("Taken back. Nothing was moved.")


def _waits(instruction: Instruction, now: datetime) -> bool:
    return instruction.status == InstructionStatus.WAITING


def _is_someone_elses(instruction: Instruction, staff: Staff) -> bool:
    return instruction.asked_by_id != staff.user_id


def _sentence(instruction: Instruction) -> str:
    task = TASKS[instruction.task]
    amount = (
        f" of {formats.money(instruction.amount, instruction.currency)}"
        if instruction.amount
        else ""
    )
    return f"{task.title}{amount}, asked for by {instruction.asked_by.get_username()}."


class InstructionAdmin(OfficeAdmin):
    list_select_related = ("asked_by", "decided_by")
    list_display = (
        instant_column("Asked", "asked_at"),
        Column("What", show=lambda instruction: TASKS[instruction.task].title),
        amount_column("Amount"),
        status_column(),
        Column("By", show=lambda instruction: instruction.asked_by.get_username()),
        Column(
            "Decided by",
            show=lambda instruction: (
                instruction.decided_by.get_username() if instruction.decided_by else "—"
            ),
        ),
        text_column("Reason", "reason"),
        MODE,
    )
    list_filter = (
        choice_filter("status", "status", InstructionStatus.choices),
        choice_filter("kind", "kind", [(kind.value, kind.value) for kind in InstructionKind]),
        DayFilter,
        ModeFilter,
        link_filter("about", "subject", "subject_id"),
    )
    row_actions: ClassVar[tuple[Action, ...]] = (
        Action(
            name="approve",
            title="Approve",
            right=Right.APPROVE,
            form=DecisionForm,
            carry_out=_approve,
            about="It is carried out at once.",
            icon="check",
            main=True,
            available=_waits,
            shown_to=_is_someone_elses,
        ),
        Action(
            name="decline",
            title="Decline",
            right=Right.APPROVE,
            form=DeclineForm,
            carry_out=_decline,
            icon="close",
            danger=True,
            available=_waits,
            shown_to=_is_someone_elses,
        ),
        Action(
            name="withdraw",
            title="Take back",
            right=Right.VIEW_TRADE,
            form=DecisionForm,
            carry_out=_withdraw,
            about="Only whoever asked can take it back.",
            icon="undo",
            available=_waits,
            shown_to=lambda instruction, staff: instruction.asked_by_id == staff.user_id,
        ),
    )

    def heading(self, row: Instruction) -> str:
        return TASKS[row.task].title

    def answer(self, row: Instruction, now: datetime) -> SupportAnswer:
        tone = formats.tone(row.status)
        words = [_sentence(row)]
        if row.status == InstructionStatus.WAITING:
            words.append(f"Someone else has to agree until {formats.clock(row.lapses_at, now)}.")
        return SupportAnswer(words, tone)

    def sections(self, row: Instruction) -> list[Section]:
        about = page_of_id(row.subject_id)
        result = page_of_id(row.result_id)
        return [
            Section(
                "What is asked for",
                facts(
                    ("What", TASKS[row.task].title),
                    ("Amount", formats.money(row.amount, row.currency) if row.amount else ""),
                    ("About", _linked(row.subject_id, about)),
                    *_arguments(row),
                    ("Reason", row.reason),
                    ("Note", row.note),
                    ("Mode", formats.mode(row.livemode)),
                    ("Status", formats.badge(row.status)),
                    ("Came to", _linked(row.result_id, result) if row.result_id else ""),
                ),
            )
        ]

    def timeline(self, row: Instruction) -> list[TimelineEntry]:
        asked = TimelineEntry(
            row.asked_at, "pan_tool", "Asked for", actor=row.asked_by.get_username()
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
        if name != "expected_available"
    ]


def _linked(public_id: str, url: str) -> Any:
    return formats.link(formats.code(public_id), url) if url else formats.code(public_id)
