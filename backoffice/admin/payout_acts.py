"""What finance does with payouts, runs, bank accounts and holidays."""

from datetime import date, timedelta

from django import forms
from django.conf import settings
from django.utils import timezone
from unfold.widgets import UnfoldAdminTextInputWidget

from backoffice import formats
from backoffice.acts import Act, Done, Work
from backoffice.admin.instructing import told
from backoffice.errors import NothingToSend
from backoffice.forms import ActForm, Choice, ConfirmForm, Line, Lines, ReasonForm
from backoffice.models import Instruction
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.instructions import Wish, instruct
from backoffice.services.payouts import (
    RUN,
    Run,
    add_holiday,
    cancel,
    close_account,
    drop_holiday,
    mark_paid,
    runs_due,
)
from backoffice.statuses import InstructionStatus
from payouts.business_days import BusinessDays
from payouts.models import Payout, PayoutBatch
from payouts.statuses import CANCELABLE, PayoutStatus


class Day(forms.DateField):
    """A calendar day."""

    def __init__(self) -> None:
        super().__init__(widget=UnfoldAdminTextInputWidget(attrs={"type": "date"}))


class PaidForm(ActForm):
    bank_reference = Line(max_length=140, required=False, label="The bank's reference")


def _paid(work: Work) -> Done:
    mark_paid(
        staff=work.staff,
        payout_id=work.row.pk,
        bank_reference=work.data["bank_reference"],
        now=work.now,
    )
    return Done("Recorded as paid. The merchant is told.")


def _cancel(work: Work) -> Done:
    cancel(staff=work.staff, payout_id=work.row.pk, reason=work.data["reason"], now=work.now)
    return Done("Canceled. The money is back in the merchant's balance.")


class FailureForm(ActForm):
    reason = Line(max_length=255, help_text="What the bank says. The merchant can read it.")
    note = Lines(max_length=2_000)

    def lines(self) -> list[str]:
        amount = formats.money(self.row.amount, self.row.currency)
        return [f"{amount} goes back to the merchant's balance, and can be paid out again."]


def _failure(work: Work) -> Done:
    payout: Payout = work.row
    wish = Wish(
        task=instruction_kinds.PAYOUT_FAILURE,
        subject_id=payout.pk,
        merchant_id=payout.merchant_id,
        livemode=payout.livemode,
        amount=payout.amount,
        currency=payout.currency,
        reason=work.data["reason"],
        note=work.data["note"],
        form_key=work.data["form_key"],
    )
    return told(instruct(staff=work.staff, wish=wish, now=work.now), "The money went back.")


PAYOUT_ACTS = (
    Act(
        name="paid",
        title="Record as paid",
        right=Right.PAY_OUT,
        form=PaidForm,
        carry_out=_paid,
        icon="check_circle",
        main=True,
        offered=lambda payout, now: payout.status == PayoutStatus.IN_TRANSIT,
    ),
    Act(
        name="failed",
        title="Record as refused",
        right=Right.PAY_OUT,
        form=FailureForm,
        carry_out=_failure,
        about="Only after the bank has said so: otherwise it is paid twice.",
        icon="cancel",
        danger=True,
        offered=lambda payout, now: payout.status == PayoutStatus.IN_TRANSIT,
    ),
    Act(
        name="cancel",
        title="Cancel payout",
        right=Right.PAY_OUT,
        form=ReasonForm,
        carry_out=_cancel,
        icon="block",
        danger=True,
        offered=lambda payout, now: payout.status in CANCELABLE,
    ),
)


class RunForm(ActForm):
    """What is due by a day, as one file for the bank."""

    mode = Choice((("live", "live"), ("test", "test")))
    execution_date = Day()
    reason = Line(max_length=500)
    note = Lines(max_length=2_000)

    def prepare(self) -> None:
        today = timezone.localtime(self.now).date()
        self.fields["execution_date"].initial = BusinessDays.load().on_or_after(today)

    def lines(self) -> list[str]:
        today, currency = timezone.localtime(self.now).date(), settings.DEFAULT_CURRENCY
        runs = runs_due(livemode=True, currency=currency, execution_date=today)
        count = sum(len(run.payout_ids) for run in runs)
        total = formats.money(sum(run.total_amount for run in runs), currency)
        lines = [f"Due by today, live: {count} payouts, {total}."]
        if len(runs) > 1:
            lines.append(f"They go in {len(runs)} batches, each approved by itself.")
        return lines

    def clean_execution_date(self) -> date:
        day: date = self.cleaned_data["execution_date"]
        today = timezone.localtime(self.now).date()
        if not today <= day <= today + timedelta(days=14):
            raise forms.ValidationError("Choose a day from today on, within two weeks.")
        working = BusinessDays.load().on_or_after(day)
        if day != working:
            raise forms.ValidationError(f"Banks rest on that day. The next one is {working}.")
        return day


def _run(work: Work) -> Done:
    livemode, day = work.data["mode"] == "live", work.data["execution_date"]
    currency = settings.DEFAULT_CURRENCY
    runs = runs_due(livemode=livemode, currency=currency, execution_date=day)
    if not runs:
        raise NothingToSend
    made = [
        instruct(staff=work.staff, wish=_wish_of(work, run, number), now=work.now)
        for number, run in enumerate(runs)
    ]
    if len(made) == 1:
        return told(made[0], _came_of(made[0]))
    waiting = sum(each.status == InstructionStatus.WAITING for each in made)
    return Done(f"{len(made)} batches; {waiting} of them wait for someone else's approval.")


def _wish_of(work: Work, run: Run, number: int) -> Wish:
    return Wish(
        task=instruction_kinds.RUN_PAYOUTS,
        subject_id=RUN,
        livemode=work.data["mode"] == "live",
        amount=run.total_amount,
        currency=settings.DEFAULT_CURRENCY,
        reason=work.data["reason"],
        note=work.data["note"],
        form_key=work.data["form_key"] + (f":{number}" if number else ""),
        arguments={
            "execution_date": work.data["execution_date"].isoformat(),
            "payouts": run.payout_ids,
        },
    )


def _came_of(instruction: Instruction) -> str:
    if not instruction.result_id:
        return "Nothing left: what could not leave has failed or waits."
    asked = len(instruction.arguments["payouts"])
    sent = PayoutBatch.objects.get(pk=instruction.result_id).count
    rest = asked - sent
    return "The run is made." if not rest else f"The run is made: {sent} leave, {rest} do not."


RUN_ACTS = (
    Act(
        name="run",
        title="Make a payout run",
        right=Right.PAY_OUT,
        form=RunForm,
        carry_out=_run,
        about="Takes what is due into one file for the bank; it counts as on its way from then on.",
        icon="upload_file",
        main=True,
    ),
)


def _close(work: Work) -> Done:
    close_account(
        staff=work.staff,
        bank_account_id=work.row.pk,
        reason=work.data["reason"],
        now=work.now,
    )
    return Done("Nothing is sent to this account any more.")


BANK_ACCOUNT_ACTS = (
    Act(
        name="close",
        title="Close",
        right=Right.BANK_ACCOUNT,
        form=ReasonForm,
        carry_out=_close,
        about="Payouts that are scheduled to it fail, and their money goes back.",
        icon="block",
        danger=True,
        offered=lambda account, now: account.closed_at is None,
    ),
)


class HolidayForm(ActForm):
    day = Day()
    name = Line(max_length=100)


def _add(work: Work) -> Done:
    add_holiday(staff=work.staff, day=work.data["day"], name=work.data["name"], now=work.now)
    return Done("Payouts keep clear of this day.")


def _drop(work: Work) -> Done:
    drop_holiday(staff=work.staff, day=work.row.date, now=work.now)
    return Done("The day is a banking day again.", url="../../../")


HOLIDAY_LIST_ACTS = (
    Act(
        name="add",
        title="Add a day",
        right=Right.HOLIDAYS,
        form=HolidayForm,
        carry_out=_add,
        icon="event",
        main=True,
    ),
)
HOLIDAY_ACTS = (
    Act(
        name="drop",
        title="Take off the list",
        right=Right.HOLIDAYS,
        form=ConfirmForm,
        carry_out=_drop,
        icon="event_available",
    ),
)
