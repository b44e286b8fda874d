"""What Finance does with the bank's answers, as forms."""

from dataclasses import replace
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Q
from unfold.widgets import UnfoldAdminFileFieldWidget

from backoffice import formats
from backoffice.actions import Action, ActionContext
from backoffice.admin.submission import instruction_action, submit, submitted
from backoffice.forms import ActionForm, ModeField, NotedForm, SelectField, TextInputField
from backoffice.models import Instruction
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.bank_entries import MERCHANT, SERVICE, named_by
from backoffice.services.bank_uploads import content_hash, seal_file
from core.creditor_references import references_in
from core.money import MAX_AMOUNT
from customers.models import Customer
from funding.models import TopUp
from payouts.bank.by_hand import is_undoable, reopen_entry, set_aside
from payouts.bank.incoming import why_uncreditable
from payouts.bank.moved_amounts import booked_with_charge, charge_in
from payouts.bank.safe_xml import MAX_FILE_BYTES
from payouts.contradictions import holds_back, our_reference
from payouts.models import BankEntry, BankEntryState, Payout, PayoutBatch


class BankFileForm(ActionForm):
    mode = ModeField()
    file = forms.FileField(
        widget=UnfoldAdminFileFieldWidget(),
        help_text="pain.002, camt.053 or camt.054, of at most 10 MiB.",
    )
    reason = TextInputField(max_length=500, label="Where it comes from")

    def clean_file(self) -> bytes:
        content: bytes = self.cleaned_data["file"].read(MAX_FILE_BYTES + 1)
        return content


def _import(context: ActionContext) -> dict[str, Any]:
    content = context.data["file"]
    return {"subject_id": content_hash(content), "sealed_file": seal_file(content)}


IMPORT = instruction_action(
    instruction_kinds.BANK_FILE,
    name="import",
    title="Import the bank's file",
    form=BankFileForm,
    overrides=_import,
    done_message="Imported.",
    about="It is read at once; a colleague has to approve it. Safe to repeat.",
    icon="download",
)


class MatchForm(NotedForm):
    payout = TextInputField(
        max_length=40, help_text="The payout's id (po_…), or the run's (bat_…) for all of it."
    )
    charge_borne_by = SelectField(
        (("", "no one: there is none"), *((each, each) for each in (SERVICE, MERCHANT))),
        required=False,
        help_text="If the bank has deducted a charge, so that more left or less came back.",
    )

    def prepare(self) -> None:
        self.fields["payout"].initial = named_by(self.row)

    def lines(self) -> list[str]:
        amount = formats.money(self.row.amount, self.row.currency)
        return [f"{self.row.get_kind_display().capitalize()}: {amount}."]

    def clean_payout(self) -> Payout | PayoutBatch:
        typed, mode = self.cleaned_data["payout"], {"livemode": self.row.livemode}
        batches = PayoutBatch.objects.filter(pk=typed, **mode)
        found = Payout.objects.filter(pk=typed, **mode).first() or batches.first()
        if found is None:
            raise forms.ValidationError("There is no such payout.")
        return found


def _match(context: ActionContext) -> Instruction:
    """Request to match an entry with a payout or run."""
    entry, found = context.row, context.data["payout"]
    about, task = replace(context, row=found), instruction_kinds.BANK_ENTRY
    arguments: dict[str, Any] = {"entry": entry.pk}
    is_run, borne_by = isinstance(found, PayoutBatch), context.data["charge_borne_by"]
    charge = 0
    if borne_by:
        every = list(found.payouts.all()) if is_run else [found]
        charge = booked_with_charge(entry, every)[1] if is_run else charge_in(entry, every)
    if charge:
        arguments |= {"charge_amount": charge, "charge_borne_by": borne_by}
    if is_run:
        return submit(about, task, amount=_amount_to_show(entry), arguments=arguments)
    return submit(about, task, arguments=arguments)


class CreditForm(NotedForm):
    whose = TextInputField(
        max_length=40, help_text="The customer's id (cus_…), or the top-up's (top_…) or reference."
    )

    def prepare(self) -> None:
        named = references_in(self.row.end_to_end_id, self.row.message)
        found = TopUp.objects.filter(reference__in=named, livemode=self.row.livemode)[:2]
        if len(found) == 1:
            self.fields["whose"].initial = found[0].reference

    def lines(self) -> list[str]:
        amount = formats.money(self.row.amount, self.row.currency)
        return [f"{amount} goes into the wallet: “{self.row.message}”."]

    def clean_whose(self) -> TopUp | Customer:
        typed = self.cleaned_data["whose"]
        named = Q(pk=typed) | Q(reference__in=references_in(typed))
        found = TopUp.objects.filter(named).first() or Customer.objects.filter(pk=typed).first()
        if found is None or found.livemode != self.row.livemode:
            raise forms.ValidationError("There is no such customer or top-up.")
        return found


def _credit(context: ActionContext) -> dict[str, Any]:
    whose, entry = context.data["whose"], context.row
    is_top_up = isinstance(whose, TopUp)
    return {
        "subject_id": whose.customer_id if is_top_up else whose.pk,
        "amount": _amount_to_show(entry),
        "arguments": {"entry": entry.pk, "top_up": whose.pk if is_top_up else ""},
    }


class ExplanationForm(ActionForm):
    note = TextInputField(
        max_length=500, help_text="What it is, such as: the bank's fee for October."
    )


class ContradictionForm(NotedForm):
    reason = TextInputField(
        max_length=500, label="What it is", help_text="For example: paid; the balance was adjusted."
    )


class AgainForm(NotedForm):
    reason = TextInputField(max_length=500, label="Why the explanation was wrong")

    def lines(self) -> list[str]:
        return [f"It was set aside as: “{self.row.note}”. It names {our_reference(self.row)}."]


class UndoForm(NotedForm):
    reason = TextInputField(max_length=200, label="Why it is the wrong one")

    def lines(self) -> list[str]:
        whose = f" of {self.row.payout.merchant.name}" if self.row.payout else ""
        return [
            f"It is matched with {self.row.payout_id or self.row.batch_id}{whose}.",
            "This entry waits again, and books nothing. What was paid by it stays paid: its own"
            " entry books it, at once if that waits. If the bank has not paid it, record it as"
            " returned.",
        ]


def _without_money(context: ActionContext) -> dict[str, Any]:
    """Return the money of a request about an entry, which may have no amount and moves none."""
    entry = context.row
    currency = entry.currency or settings.DEFAULT_CURRENCY
    return {"amount": _amount_to_show(entry), "currency": currency}


def _undo(context: ActionContext) -> dict[str, Any]:
    entry = context.row
    found = entry.payout or entry.batch  # the request is about it, as that to match it was
    about = {"subject_id": found.pk, "merchant_id": getattr(found, "merchant_id", "")}
    # The previous release reads `matched_with`, and refuses a request that is about no entry.
    arguments = {"entry": entry.pk, "matched_with": found.pk}
    return {**_without_money(context), **about, "arguments": arguments}


def _is_set_aside(entry: BankEntry) -> bool:
    return bool(entry.state == BankEntryState.OTHER)


def _amount_to_show(entry: BankEntry) -> int:
    """Return the amount of an entry; 0 if it has none, or one that could not be moved."""
    return entry.amount if entry.amount and entry.amount <= MAX_AMOUNT else 0


BANK_ENTRY_ACTIONS = (
    instruction_action(
        instruction_kinds.BANK_CREDIT,
        name="credit",
        title="Credit a wallet",
        is_repeated=True,
        form=CreditForm,
        overrides=_credit,
        done_message="The money is in the wallet.",
        about="For a customer's transfer without its reference; a colleague has to approve.",
        icon="add_card",
        main=True,
        available=lambda entry, now: (
            entry.is_waiting and entry.is_booked_credit and not why_uncreditable(entry)
        ),
    ),
    Action(
        name="match",
        title="Match with a payout or run",
        right=Right.PAY_OUT,
        form=MatchForm,
        service=_match,
        message=submitted("Matched."),
        about="The amounts must agree, except for a charge; a colleague has to approve.",
        icon="link",
        main=True,
        available=lambda entry, now: entry.is_waiting,
    ),
    Action(
        name="other",
        title="Not a payout",
        right=Right.PAY_OUT,
        form=ExplanationForm,
        service=set_aside,
        given={"by_two": False},
        message="Noted. It no longer counts as a difference.",
        audited_as="explain bank entry",
        watches=("state",),
        reason="note",
        about="A fee, interest, a deposit of our own. Moves no money, and needs no approval.",
        icon="label",
        available=lambda entry, now: entry.is_waiting and not holds_back(entry),
    ),
    instruction_action(
        instruction_kinds.SET_ASIDE,
        name="other-by-two",
        title="No payout that we know",
        form=ContradictionForm,
        overrides=_without_money,
        done_message="Noted.",
        about="It names an order or a run of ours, so payouts may be waiting for it: a colleague"
        " has to approve.",
        icon="label",
        available=lambda entry, now: entry.is_waiting and holds_back(entry),
    ),
    Action(
        name="wait-again",
        title="Explain again",
        right=Right.PAY_OUT,
        service=reopen_entry,
        given={"by_two": False},
        message="It waits for an explanation again, and counts as a difference.",
        audited_as="let bank entry wait again",
        watches=("state", "note"),
        about="If the explanation was wrong.",
        icon="undo",
        available=lambda entry, now: _is_set_aside(entry) and not our_reference(entry),
    ),
    instruction_action(
        instruction_kinds.WAIT_AGAIN,
        name="wait-again-by-two",
        title="Explain again",
        form=AgainForm,
        overrides=_without_money,
        done_message="It waits for an explanation again, and counts as a difference.",
        about="It names an order or a run of ours, so the bank's next file may match it and return"
        " money: a colleague has to approve.",
        icon="undo",
        available=lambda entry, now: _is_set_aside(entry) and bool(our_reference(entry)),
    ),
    instruction_action(
        instruction_kinds.UNDO_MATCH,
        name="undo-match",
        title="Undo the match",
        form=UndoForm,
        overrides=_undo,
        done_message="It waits for an explanation again.",
        about="If it is not the money of that payout or run; a colleague has to approve.",
        icon="undo",
        available=lambda entry, now: is_undoable(entry),
    ),
)
