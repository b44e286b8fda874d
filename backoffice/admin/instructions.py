"""Approvals: what staff want done with money, who asked, and who agreed."""

from datetime import datetime
from typing import Any, ClassVar

from backoffice import formats
from backoffice.acts import Act, Done, Work
from backoffice.admin.filters import ModeFilter, choice_filter, day_filter, link_filter
from backoffice.admin.office import OfficeAdmin
from backoffice.forms import ActForm, Lines
from backoffice.models import Instruction
from backoffice.page_parts import Answer, Moment, Section, Table, facts
from backoffice.resource.columns import (
    MODE,
    Column,
    amount_column,
    instant_column,
    status_column,
    text_column,
)
from backoffice.roles import Kind, Right
from backoffice.search_results import page_of_id
from backoffice.services.instruction_kinds import TASKS
from backoffice.services.instructions import approve, decline, withdraw
from backoffice.staff import Staff
from backoffice.statuses import InstructionStatus
from payouts.models import Payout


class DecisionForm(ActForm):
    note = Lines(max_length=2_000, required=False, label="Why")

    def lines(self) -> list[str]:
        return [_sentence(self.row)]


class DeclineForm(DecisionForm):
    note = Lines(max_length=2_000, label="Why")


def _approve(work: Work) -> Done:
    approve(staff=work.staff, instruction_id=work.row.pk, note=work.data["note"], now=work.now)
    return Done("Approved, and carried out.")


def _decline(work: Work) -> Done:
    decline(staff=work.staff, instruction_id=work.row.pk, note=work.data["note"], now=work.now)
    return Done("Declined. Nothing was moved.")


def _withdraw(work: Work) -> Done:
    withdraw(staff=work.staff, instruction_id=work.row.pk, note=work.data["note"], now=work.now)
    return Done("Taken back. Nothing was moved.")


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
    plural = "Approvals"
    counted = ("approval", "approvals")
    view_right: ClassVar[Right] = Right.VIEW_TRADE
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
        choice_filter("kind", "kind", [(kind.value, kind.value) for kind in Kind]),
        day_filter(prefix="ins"),
        ModeFilter,
        link_filter("about", "subject", "subject_id"),
    )
    acts: ClassVar[tuple[Act, ...]] = (
        Act(
            name="approve",
            title="Approve",
            right=Right.APPROVE,
            form=DecisionForm,
            carry_out=_approve,
            about="It is carried out at once.",
            icon="check",
            main=True,
            offered=_waits,
            for_whom=_is_someone_elses,
        ),
        Act(
            name="decline",
            title="Decline",
            right=Right.APPROVE,
            form=DeclineForm,
            carry_out=_decline,
            icon="close",
            danger=True,
            offered=_waits,
            for_whom=_is_someone_elses,
        ),
        Act(
            name="withdraw",
            title="Take back",
            right=Right.VIEW_TRADE,
            form=DecisionForm,
            carry_out=_withdraw,
            about="Only whoever asked can take it back.",
            icon="undo",
            offered=_waits,
            for_whom=lambda instruction, staff: instruction.asked_by_id == staff.user_id,
        ),
    )

    def heading(self, row: Instruction) -> str:
        return TASKS[row.task].title

    def answer(self, row: Instruction, now: datetime) -> Answer:
        tone = formats.tone(row.status)
        words = [_sentence(row)]
        if row.status == InstructionStatus.WAITING:
            words.append(f"Someone else has to agree until {formats.clock(row.lapses_at, now)}.")
        return Answer(words, tone)

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

    def tables(self, row: Instruction) -> list[Table]:
        """Show which payouts a run takes: what is approved is these, and no others."""
        ids = row.arguments.get("payouts", ())
        payouts = Payout.objects.filter(pk__in=ids).select_related("merchant", "bank_account")
        rows = [
            (
                _linked(payout.pk, page_of_id(payout.pk)),
                payout.merchant.name,
                formats.money(payout.amount, payout.currency),
                str(payout.bank_account),
                formats.badge(payout.status),
            )
            for payout in payouts.order_by("pk")
        ]
        columns = ("Payout", "Merchant", "Amount", "To", "Status")
        return [Table("Payouts", columns, rows)] if rows else []

    def timeline(self, row: Instruction) -> list[Moment]:
        asked = Moment(row.asked_at, "pan_tool", "Asked for", actor=row.asked_by.get_username())
        if row.decided_at is None:
            return [asked]
        decided = Moment(
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


def _linked(public_id: str, url: str) -> Any:
    return formats.link(formats.code(public_id), url) if url else formats.code(public_id)
