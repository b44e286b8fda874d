"""What finance does with the bank's answers, by form."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminFileFieldWidget

from backoffice import formats
from backoffice.acts import Act, Done, Work
from backoffice.admin.instructing import told
from backoffice.admin.payout_acts import FailureForm
from backoffice.forms import ActForm, Choice, Line, Lines
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.bank_entries import explain_entry, import_file
from backoffice.services.instructions import Wish, instruct
from payouts.bank.safe_xml import MAX_FILE_BYTES
from payouts.models import BankEntry, BankEntryState, Payout
from payouts.statuses import TRANSITIONS, PayoutStatus


class BankFileForm(ActForm):
    mode = Choice((("live", "live"), ("test", "test")))
    file = forms.FileField(
        widget=UnfoldAdminFileFieldWidget(),
        help_text="pain.002, camt.053 or camt.054, of at most 10 MiB.",
    )

    def clean_file(self) -> bytes:
        content: bytes = self.cleaned_data["file"].read(MAX_FILE_BYTES + 1)
        return content


def _import(work: Work) -> Done:
    livemode = work.data["mode"] == "live"
    content = work.data["file"]
    result = import_file(staff=work.staff, content=content, livemode=livemode, now=work.now)
    file = result.stored.file
    return Done(
        f"{file.get_source_display()} {file.message_id}: {result.matched} matched, "
        f"{result.unmatched} wait under Bank entries."
    )


IMPORT_ACTS = (
    Act(
        name="import",
        title="Import the bank's file",
        right=Right.PAY_OUT,
        form=BankFileForm,
        carry_out=_import,
        about="Safe to repeat. What does not match a payout exactly waits under Bank entries.",
        icon="download",
    ),
)


class MatchForm(ActForm):
    payout = Line(max_length=40, help_text="The payout's id (po_…).")
    reason = Line(max_length=500)
    note = Lines(max_length=2_000)

    def lines(self) -> list[str]:
        return [f"{self.row.get_kind_display().capitalize()}: {entry_money(self.row)}."]

    def clean_payout(self) -> Payout:
        found = Payout.objects.filter(pk=self.cleaned_data["payout"]).first()
        if found is None or found.livemode != self.row.livemode:
            raise forms.ValidationError("There is no such payout.")
        return found


def _match(work: Work) -> Done:
    payout: Payout = work.data["payout"]
    wish = Wish(
        task=instruction_kinds.BANK_ENTRY,
        subject_id=payout.pk,
        merchant_id=payout.merchant_id,
        livemode=payout.livemode,
        amount=payout.amount,
        currency=payout.currency,
        reason=work.data["reason"],
        note=work.data["note"],
        form_key=work.data["form_key"],
        arguments={"entry": work.row.pk},
    )
    return told(instruct(staff=work.staff, wish=wish, now=work.now), "Matched.")


class ExplanationForm(ActForm):
    note = Line(max_length=500, help_text="What it is, such as: the bank's fee for October.")


def _explain(work: Work) -> Done:
    explain_entry(staff=work.staff, entry_id=work.row.pk, note=work.data["note"], now=work.now)
    return Done("Noted. It no longer counts as a difference.")


def _waits(entry: BankEntry, now: Any) -> bool:
    return entry.state == BankEntryState.UNMATCHED


def entry_money(entry: BankEntry) -> str:
    """Return the amount of an entry; a status report may have none."""
    return "—" if entry.amount is None else formats.money(entry.amount, entry.currency)


BANK_ENTRY_ACTS = (
    Act(
        name="match",
        title="Match with a payout",
        right=Right.PAY_OUT,
        form=MatchForm,
        carry_out=_match,
        about="The amount must be the payout's; someone else has to agree.",
        icon="link",
        main=True,
        offered=_waits,
    ),
    Act(
        name="other",
        title="It is of no payout",
        right=Right.PAY_OUT,
        form=ExplanationForm,
        carry_out=_explain,
        about="A fee, interest, money put in: moves nothing here.",
        icon="label",
        offered=_waits,
    ),
)


def _return(work: Work) -> Done:
    payout: Payout = work.row
    wish = Wish(
        task=instruction_kinds.PAYOUT_RETURN,
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


RETURN_ACTS = (
    Act(
        name="returned",
        title="Record as returned",
        right=Right.PAY_OUT,
        form=FailureForm,
        carry_out=_return,
        about="Only when the money is back on our account at the bank.",
        icon="undo",
        danger=True,
        offered=lambda payout, now: (
            PayoutStatus.RETURNED in TRANSITIONS[PayoutStatus(payout.status)]
        ),
    ),
)
