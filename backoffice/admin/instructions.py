"""Approvals: what was requested, by whom, and who approved it."""

from datetime import datetime
from typing import Any

import structlog
from django.contrib.auth.models import User
from django.http import HttpRequest

from backoffice import formats
from backoffice.admin.bank_accounts import comparison_table
from backoffice.admin.instruction_actions import INSTRUCTION_ACTIONS
from backoffice.admin.office import OfficeAdmin
from backoffice.audit import last_done
from backoffice.errors import SecretNotThere
from backoffice.models import AuditOutcome, Instruction
from backoffice.page_parts import Section, SupportAnswer, Table, TimelineEntry, facts
from backoffice.request_answer import (
    outcome_words,
    refund_words,
    sentence,
    subject_of,
    warnings_of,
    with_names,
)
from backoffice.resource.catalog import entry_of
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import BothModesFilter, choice_filter, link_filter, status_filter
from backoffice.resource.resource import Related
from backoffice.resource.shown import Amount, Badge, Field, Instant, Reference, RowLink, linked
from backoffice.resource.usual_fields import MODE
from backoffice.roles import InstructionKind, Right
from backoffice.services.bank_uploads import entries_of
from backoffice.services.decisions import BREAK, BREAK_GLASS_DELAY, TOLD
from backoffice.services.instruction_kinds import (
    BANK_ACCOUNT,
    BANK_FILE,
    RESET_ACCESS,
    RUN_PAYOUTS,
    TASKS,
    state_of,
)
from backoffice.services.merchants import COLLECTABLE_FOR
from backoffice.services.payouts import accounts_to_compare
from backoffice.statuses import InstructionStatus
from core.clock import request_now
from core.signatures import is_altered
from payouts.batches import MAX_PAYOUTS
from payouts.contradictions import our_reference
from payouts.models import BankEntry, Payout

ALTERED = (
    "This request was changed in the database by something other than this service, so nothing that"
    " it says can be relied on, and no one can decide on it.",
    "Leave it as it is, and tell the operators of the service at once. Whoever asked for it can ask"
    " again once they know what happened.",
)
logger = structlog.get_logger(__name__)


def _what(instruction: Instruction) -> str:
    """Return the title of its task; in a row that was tampered with, maybe the name of none."""
    task = TASKS.get(instruction.task)
    return task.title if task else instruction.task


WHAT = Field("What", _what)
REQUESTED = Instant("Requested", "asked_at")
WHOSE = RowLink("Whose", subject_of, to="merchant_id")


def _state(instruction: Instruction) -> str:
    altered = is_altered(instruction)
    return "altered in the database" if altered else state_of(instruction, request_now())


STATE = Badge("Status", _state)
REASON = Field("Reason", "reason")
STATED = ("Number", "Period", "Written", *map(formats.amount, ("Opening", "Closing", "Replaces")))
_SHOWN_OTHERWISE = frozenset(
    {
        *("direction", "expected_available", "effects", "gives", "passkey_id", "payouts", "says"),
        *("statements", "takes_away"),
    }
)
DECIDED_BY = Field("Decided by", "decided_by.get_username")
AMOUNT_ASKED = Amount("Amount", lambda instruction: instruction.amount or None)


def _result(instruction: Instruction) -> str:
    """Return the id of the result; empty for the mere numbers of bank files and colleagues."""
    return "" if instruction.result_id.isdecimal() else instruction.result_id


def _subject(instruction: Instruction) -> str:
    """Return the id of the subject; empty for a bank file, named by a hash, and for a run."""
    return "" if instruction.task in (BANK_FILE, RUN_PAYOUTS) else instruction.subject_id


class InstructionAdmin(OfficeAdmin):
    model = Instruction
    when_empty = "What one person has requested and another must approve comes here."
    list_select_related = ("asked_by", "decided_by")
    list_display = (
        REQUESTED,
        WHAT,
        AMOUNT_ASKED,
        WHOSE,
        STATE,
        Field("By", "asked_by.get_username"),
        DECIDED_BY,
        REASON,
        MODE,
    )
    summary = (
        REQUESTED,
        WHAT,
        AMOUNT_ASKED,
        WHOSE,
        STATE,
        DECIDED_BY,
        Field("Note", "decision_note", most=60),
    )
    list_filter = (
        status_filter(InstructionStatus),
        choice_filter("kind", "kind", [(kind.value, kind.value) for kind in InstructionKind]),
        DayFilter,
        BothModesFilter,
        link_filter("about", "subject", "subject_id"),
    )
    row_actions = INSTRUCTION_ACTIONS
    hides_empty = True
    details = (
        Reference("About", _subject),
        Field("Note", "note"),
        Reference("Result", _result),
    )
    related = (
        Related(
            Payout,
            rows=lambda instruction: Payout.objects.filter(
                pk__in=instruction.arguments.get("payouts", ())
            ),
            shown=MAX_PAYOUTS,
            order=("pk",),
        ),
        Related(BankEntry, rows=entries_of, shown=MAX_PAYOUTS),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return with_names(super().get_queryset(request))

    def heading(self, row: Instruction) -> str:
        return _what(row)

    def answer(self, row: Instruction, now: datetime) -> SupportAnswer:
        if is_altered(row):
            logger.error("row_altered", row=f"{row._meta.verbose_name} {row.pk}")
            return SupportAnswer(ALTERED, "bad")
        status, words = row.status_at(now), [sentence(row)]
        if status != InstructionStatus.WAITING:
            held = refund_words(row)
            words += [f"It {outcome_words(row, now)}", *filter(None, [held, _of_key(row, now)])]
            waits = held or row.sealed_result
            return SupportAnswer(words, "wait" if waits else formats.tone(status))
        words.append(f"A colleague must decide by {formats.clock(row.expires_at, now)}.")
        if row.glass_broken_at:
            alone_from = row.glass_broken_at + BREAK_GLASS_DELAY
            word = "from" if alone_from > now else "since"
            when = f"{word} {formats.clock(alone_from, now)}"
            words.append(f"Glass broken: the requester may do it alone {when}.")
        return SupportAnswer(words, formats.tone(status), warnings_of(row))

    def sections(self, row: Instruction) -> list[Section]:
        if is_altered(row):
            return super().sections(row)
        return [
            *super().sections(row),
            Section("Details", facts(*_arguments(row), *_in_force(row), *_of_entry(row))),
        ]

    def tables(self, row: Instruction) -> list[Table]:
        """Show the payouts of a run, the contents of a file, the account to be paid out to."""
        if is_altered(row):
            return []
        return [*_of_file(row), *_of_account(row), *super().tables(row)]

    def timeline(self, row: Instruction) -> list[TimelineEntry]:
        who = row.asked_by.get_username()
        entries = [TimelineEntry(row.asked_at, "pan_tool", "Requested", who)]
        if row.glass_broken_at:
            at, icon = row.glass_broken_at, "notification_important"
            begun = last_done(BREAK, row.pk, AuditOutcome.ASKED)
            why, told = ((begun.note,), begun.after.get(TOLD)) if begun else ((), "")
            alarm = f"Glass broken: {told} told" if told else "Glass broken"
            entries.insert(0, TimelineEntry(at, icon, alarm, who, details=why, tone="bad"))
        status = row.status_at(request_now())
        if status == InstructionStatus.WAITING:
            return entries
        alone = "without a second person" if status == InstructionStatus.CARRIED_OUT else ""
        decided = TimelineEntry(
            row.decided_at or row.expires_at,
            "how_to_reg",
            status.label.capitalize(),
            actor=row.decided_by.get_username() if row.decided_by else alone,
            details=(row.decision_note,),
            tone=formats.tone(status),
        )
        return [decided, *entries]


def _of_key(instruction: Instruction, now: datetime) -> str:
    """Say what has become of an issued live key, which only its requester can collect."""
    is_issued = instruction.status == InstructionStatus.CARRIED_OUT
    if instruction.kind != InstructionKind.LIVE_KEY or not is_issued:
        return ""
    if instruction.sealed_result and instruction.decided_at:
        until = formats.clock(instruction.decided_at + COLLECTABLE_FOR, now)
        return f"{instruction.asked_by.get_username()} has yet to collect the key, by {until}."
    collected = last_done("collect key", instruction.pk)
    if collected is None:
        return f"No one collected the key in time. {SecretNotThere.remedy}"
    return f"The key was collected {formats.clock(collected.at, now)}."


def _arguments(instruction: Instruction) -> list[tuple[str, Any]]:
    """Return the other arguments, without those that only guard against a stale form."""
    return [
        (_title(name), _words(name, value, instruction))
        for name, value in instruction.arguments.items()
        if name not in _SHOWN_OTHERWISE and value != instruction.subject_id
    ]


def _in_force(instruction: Instruction) -> list[tuple[str, Any]]:
    """Show the address that a reset would replace: the two may differ in one letter."""
    if instruction.task != RESET_ACCESS or instruction.status != InstructionStatus.WAITING:
        return []
    user = User.objects.filter(username=instruction.subject_id).first()
    email = user.email if user else ""
    return [("Email in force now", formats.spelled_out(email) or "none")]


def _of_entry(instruction: Instruction) -> list[tuple[str, Any]]:
    """Show the bank's text of the entry concerned."""
    entry_id = instruction.arguments.get("entry", instruction.subject_id)
    entry = BankEntry.objects.filter(pk=entry_id).first()
    if entry is None:
        return []
    return [("In the bank's words", entry.message), ("It names", our_reference(entry))]


def _title(name: str) -> str:
    words = name.removesuffix("_amount").removesuffix("_basis_points").replace("_", " ")
    return words.capitalize().replace("Bic", "BIC").replace("Top up", "Top-up")


def _words(name: str, value: Any, instruction: Instruction) -> Any:
    """Format cents as money of the instruction's currency, and ids as links."""
    if name.endswith("_amount") and isinstance(value, int):
        return formats.money(value, instruction.currency)
    if name.endswith("_basis_points"):
        return formats.percent(value)
    if not isinstance(value, str):
        return value
    return linked(value) if entry_of(value) else formats.spelled_out(value)


def _of_account(instruction: Instruction) -> list[Table]:
    """Show a pending account beside the previous one: both may end in the same digits."""
    if instruction.task != BANK_ACCOUNT or instruction.status != InstructionStatus.WAITING:
        return []
    asked, before = accounts_to_compare(instruction)
    return [comparison_table(asked, before)]


def _of_file(instruction: Instruction) -> list[Table]:
    """Show what a bank file would do: by kind, and each credit and entry set aside by itself."""
    says, gives, takes, statements = (
        instruction.arguments.get(name, [])
        for name in ("says", "gives", "takes_away", "statements")
    )
    reported = [[*cells, formats.amount(amount)] for *cells, amount in says]
    gifts, taken = (
        [[kind, linked(named, named), formats.amount(amount)] for kind, named, amount in rows]
        for rows in (gives, takes)
    )
    stated = [[*cells[:3], *map(formats.amount, cells[3:])] for cells in statements]
    right, heading = Right.VIEW_PAYOUTS, formats.amount("Amount")
    return [
        Table(
            "What the file reports", ("What", "About", "Entries", heading), reported, right=right
        ),
        Table("Money it credits", ("What", "To", heading), gifts, right=right),
        Table("Entries it sets aside", ("What", "Entry", heading), taken, right=right),
        Table("Statements in it", STATED, stated, right=right),
    ]
