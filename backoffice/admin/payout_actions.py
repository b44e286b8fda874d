"""What Finance does with payouts, runs, bank accounts and holidays."""

from datetime import date, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone

from backoffice import formats
from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.admin.submission import instruction_action, submit, submitted
from backoffice.errors import NothingToSend
from backoffice.forms import (
    ActionForm,
    DateInputField,
    ModeField,
    NotedForm,
    SelectField,
    TextInputField,
)
from backoffice.models import Instruction
from backoffice.payout_answer import reports_on
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.payouts import RUN, BatchDraft, add_holiday, batch_drafts, drop_holiday
from backoffice.statuses import InstructionStatus
from payouts.batches import payouts_due
from payouts.business_days import BusinessDays
from payouts.contradictions import held_back
from payouts.models import Payout, PayoutBatch
from payouts.services import cancel_payout, record_paid
from payouts.statuses import CANCELABLE, TRANSITIONS, PayoutStatus

S = PayoutStatus


class PaidForm(ActionForm):
    bank_reference = TextInputField(max_length=140, required=False, label="The bank's reference")

    def lines(self) -> list[str]:
        return reports_on(self.row)


class FailureForm(NotedForm):
    reason = TextInputField(
        max_length=255, help_text="The bank's reason. The merchant can read it."
    )

    def lines(self) -> list[str]:
        amount = formats.money(self.row.amount, self.row.currency)
        return [f"{amount} goes back to the merchant's balance, and can be paid out again."]


PAYOUT_ACTIONS = (
    Action(
        name="paid",
        title="Record as paid",
        right=Right.PAY_OUT,
        form=PaidForm,
        service=record_paid,
        message="Recorded as paid. The merchant is notified.",
        audited_as="record payout as paid",
        watches=("status",),
        reason="bank_reference",
        icon="check_circle",
        main=True,
        available=lambda payout, now: payout.status == S.IN_TRANSIT,
    ),
    instruction_action(
        instruction_kinds.PAYOUT_FAILURE,
        name="failed",
        title="Record as refused",
        form=FailureForm,
        done_message="The money has been returned.",
        about="Only once the bank has confirmed it: otherwise it is paid twice.",
        icon="cancel",
        danger=True,
        available=lambda payout, now: payout.status == S.IN_TRANSIT,
    ),
    Action(
        name="cancel",
        title="Cancel payout",
        right=Right.PAY_OUT,
        service=cancel_payout,
        message="Canceled. The money is back in the merchant's balance.",
        audited_as="cancel payout",
        watches=("status",),
        icon="block",
        danger=True,
        available=lambda payout, now: payout.status in CANCELABLE,
    ),
    instruction_action(
        instruction_kinds.PAYOUT_RETURN,
        name="returned",
        title="Record as returned",
        form=FailureForm,
        done_message="The money has been returned.",
        about="Only when the money is back on our account at the bank.",
        icon="undo",
        danger=True,
        available=lambda payout, now: S.RETURNED in TRANSITIONS[S(payout.status)],
    ),
)


def _currencies_due() -> list[tuple[str, str]]:
    """Return the currencies to choose from: the default one, and those of scheduled payouts."""
    scheduled = Payout.objects.sendable().order_by().values_list("currency", flat=True)
    found = sorted({settings.DEFAULT_CURRENCY, *scheduled.distinct()})
    return [(currency, currency) for currency in found]


class RunForm(NotedForm):
    """What is due by a day, as one file for the bank."""

    mode = ModeField()
    currency = SelectField(_currencies_due)
    execution_date = DateInputField()

    def prepare(self) -> None:
        today = timezone.localtime(self.now).date()
        self.first_day = BusinessDays.load().on_or_after(today)
        self.fields["execution_date"].initial = self.first_day
        self.fields["currency"].initial = settings.DEFAULT_CURRENCY

    def lines(self) -> list[str]:
        return [
            line
            for livemode in (True, False)
            for currency, _ in _currencies_due()
            for line in self._lines_of(currency, livemode=livemode)
        ]

    def _lines_of(self, currency: str, *, livemode: bool) -> list[str]:
        """Say what is due, and what waits; about test mode only if there is anything."""
        wanted: dict[str, Any] = {"livemode": livemode, "currency": currency}
        wanted |= {"execution_date": self.first_day}
        runs, held = batch_drafts(**wanted), held_back(payouts_due(**wanted), livemode=livemode)
        if not (livemode or runs or held):
            return []
        payouts = formats.counted(sum(len(run.payout_ids) for run in runs), "payout")
        total = formats.money(sum(run.total_amount for run in runs), currency)
        day, mode = formats.day_text(self.first_day), "live" if livemode else "test"
        lines = [f"Due by {day}, {mode}: {payouts}, {total}."]
        if len(runs) > 1:
            lines.append(f"They are split into {len(runs)} batches, each approved separately.")
        if held:
            lines.append(
                f"{len(held)} more are held: the bank's entries contradict them, or earlier payouts"
                " of the merchant. Once those are explained, they go with the next run."
            )
        return lines

    def clean_execution_date(self) -> date:
        day: date = self.cleaned_data["execution_date"]
        today = timezone.localtime(self.now).date()
        if not today <= day <= today + timedelta(days=14):
            raise forms.ValidationError("Choose a day within the next two weeks.")
        working = BusinessDays.load().on_or_after(day)
        if day != working:
            following = formats.day_text(working)
            raise forms.ValidationError(
                f"Banks are closed on that day. The next business day is {following}."
            )
        return day


def _run(context: ActionContext) -> list[Instruction]:
    runs = batch_drafts(
        livemode=context.livemode,
        currency=context.data["currency"],
        execution_date=context.data["execution_date"],
    )
    if not runs:
        raise NothingToSend
    return [_submit_run(context, run, number) for number, run in enumerate(runs)]


def _submit_run(context: ActionContext, run: BatchDraft, number: int) -> Instruction:
    return submit(
        context,
        instruction_kinds.RUN_PAYOUTS,
        subject_id=RUN,
        amount=run.total_amount,
        form_key=context.data["form_key"] + (f":{number}" if number else ""),
        arguments={
            "execution_date": context.data["execution_date"].isoformat(),
            "payouts": run.payout_ids,
        },
    )


def _ran(made: list[Instruction]) -> ActionResult:
    if len(made) == 1:
        return submitted(_result_of(made[0]))(made[0])
    waiting = sum(each.status == InstructionStatus.WAITING for each in made)
    return ActionResult(f"{len(made)} batches; {waiting} are waiting for a colleague's approval.")


def _result_of(instruction: Instruction) -> str:
    if not instruction.result_id:
        return "No payout has been sent: each has failed, or waits."
    requested = len(instruction.arguments["payouts"])
    sent = PayoutBatch.objects.get(pk=instruction.result_id).count
    created = "The payout run has been created"
    return f"{created}." if sent == requested else f"{created}: {sent} of {requested} are sent."


MAKE_RUN = Action(
    name="run",
    title="Make a payout run",
    right=Right.PAY_OUT,
    form=RunForm,
    service=_run,
    message=_ran,
    about="Puts the payouts due into one file for the bank, and marks them as in transit.",
    icon="upload_file",
    main=True,
)


class HolidayForm(ActionForm):
    day = DateInputField()
    name = TextInputField(max_length=100)


ADD_HOLIDAY = Action(
    name="add",
    title="Add a day",
    right=Right.HOLIDAYS,
    form=HolidayForm,
    service=add_holiday,
    message="The bank holiday has been added.",
    icon="event",
    main=True,
)
DROP_HOLIDAY = Action(
    name="drop",
    title="Remove from the list",
    right=Right.HOLIDAYS,
    form=ActionForm,
    service=lambda context: drop_holiday(
        staff=context.staff, day=context.row.date, now=context.now
    ),
    message=lambda _: ActionResult("The bank holiday has been removed.", url="../../../"),
    icon="event_available",
)
