"""What staff can do for a customer, and to one."""

from datetime import datetime
from typing import Any

from django.conf import settings

from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.admin.instruction_result import result_of
from backoffice.admin.note_action import note_action
from backoffice.forms import (
    ActionForm,
    CurrencyForm,
    MoneyField,
    ReasonForm,
    SelectField,
    TextField,
)
from backoffice.models import NoteSubject
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.customers import (
    Identity,
    release,
    remove_passkey,
    reveal,
    stop,
    unlock,
)
from backoffice.services.instructions import InstructionRequest, instruct
from backoffice.services.money import TAKE
from customers.models import Customer, Passkey


class IdentityForm(ActionForm):
    """What the caller says of themselves. Two things must be right."""

    amount = MoneyField(required=False, label="Amount of a payment in the last 90 days")
    merchant = TextField(max_length=255, required=False, label="To which merchant that payment was")
    email = TextField(max_length=254, required=False, label="Their e-mail address on file")

    def prepare(self) -> None:
        self.set_currency(settings.DEFAULT_CURRENCY)

    def lines(self) -> list[str]:
        return ["Ask the caller, and do not read anything out. Two answers must be right."]

    @property
    def identity(self) -> Identity:
        return Identity(
            amount=self.cleaned_data.get("amount"),
            merchant=self.cleaned_data.get("merchant", ""),
            email=self.cleaned_data.get("email", ""),
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        return {**cleaned, "identity": self.identity}


class LostDeviceForm(IdentityForm):
    reason = TextField(max_length=500, help_text="Kept in the audit trail.")


def _unlock(context: ActionContext) -> ActionResult:
    unlock(
        staff=context.staff,
        customer_id=context.row.pk,
        identity=context.data["identity"],
        now=context.now,
    )
    return ActionResult("The PIN is unlocked. The customer can try again at once.")


def _is_locked(customer: Customer, now: datetime) -> bool:
    return not customer.pin_is_disabled and bool(
        customer.pin_failures or (customer.pin_locked_until and customer.pin_locked_until > now)
    )


def _stop(context: ActionContext) -> ActionResult:
    stop(
        staff=context.staff,
        customer_id=context.row.pk,
        reason=context.data["reason"],
        now=context.now,
    )
    return ActionResult("Frozen. Nothing can be paid from this wallet.")


def _release(context: ActionContext) -> ActionResult:
    release(
        staff=context.staff,
        customer_id=context.row.pk,
        reason=context.data["reason"],
        now=context.now,
    )
    return ActionResult("The customer can pay again.")


def _reveal(context: ActionContext) -> ActionResult:
    contact = reveal(
        staff=context.staff,
        customer_id=context.row.pk,
        reason=context.data["reason"],
        now=context.now,
    )
    return ActionResult(
        "Noted in the audit trail.",
        secret=contact,
        secret_name="Phone and e-mail address",  # noqa: S106  # a name of one
    )


class AdjustWalletForm(CurrencyForm):
    direction = SelectField((("give", "Put money into the wallet"), (TAKE, "Take money out of it")))
    field_order = ("form_key", "direction", "currency", "amount", "reason", "note")


def _request(context: ActionContext, task: str, **arguments: Any) -> InstructionRequest:
    return InstructionRequest(
        task=task,
        subject_id=context.row.pk,
        livemode=context.row.livemode,
        amount=context.data["amount"],
        currency=context.data["currency"],
        reason=context.data["reason"],
        note=context.data["note"],
        form_key=context.data["form_key"],
        arguments=arguments,
        note_on=NoteSubject.CUSTOMER,
    )


def _top_up(context: ActionContext) -> ActionResult:
    request = _request(context, instruction_kinds.TOP_UP)
    return result_of(
        instruct(staff=context.staff, request=request, now=context.now),
        "The money is in the wallet.",
    )


def _adjust(context: ActionContext) -> ActionResult:
    request = _request(
        context, instruction_kinds.ADJUST_WALLET, direction=context.data["direction"]
    )
    return result_of(
        instruct(staff=context.staff, request=request, now=context.now), "The wallet is adjusted."
    )


def _remove_passkey(context: ActionContext) -> ActionResult:
    remove_passkey(
        staff=context.staff,
        passkey_id=context.row.pk,
        identity=context.data["identity"],
        reason=context.data["reason"],
        now=context.now,
    )
    return ActionResult("The passkey opens nothing any more.")


def _is_usable(passkey: Passkey, now: datetime) -> bool:
    return passkey.removed_at is None


REMOVE_PASSKEY = Action(
    name="remove",
    title="Remove passkey",
    right=Right.REMOVE_PASSKEY,
    form=LostDeviceForm,
    carry_out=_remove_passkey,
    about="For a lost or stolen device. Freeze the customer first if someone may be paying.",
    icon="no_encryption",
    danger=True,
    available=_is_usable,
)

CUSTOMER_ACTIONS: tuple[Action, ...] = (
    Action(
        name="unlock-pin",
        title="Unlock PIN",
        right=Right.UNLOCK_PIN,
        form=IdentityForm,
        carry_out=_unlock,
        icon="lock_open",
        main=True,
        available=_is_locked,
    ),
    Action(
        name="freeze",
        title="Freeze",
        right=Right.FREEZE,
        form=ReasonForm,
        carry_out=_stop,
        about="Nothing can be paid from this wallet until it is unfrozen.",
        icon="ac_unit",
        danger=True,
        available=lambda customer, now: customer.frozen_at is None,
    ),
    Action(
        name="unfreeze",
        title="Unfreeze",
        right=Right.UNFREEZE,
        form=ReasonForm,
        carry_out=_release,
        icon="wb_sunny",
        available=lambda customer, now: customer.frozen_at is not None,
    ),
    Action(
        name="top-up",
        title="Top up",
        right=Right.TOP_UP,
        form=CurrencyForm,
        carry_out=_top_up,
        icon="add_card",
    ),
    Action(
        name="adjust",
        title="Adjust wallet",
        right=Right.ADJUST,
        form=AdjustWalletForm,
        carry_out=_adjust,
        about="A correction is a transfer of its own, between the house and the wallet.",
        icon="balance",
    ),
    Action(
        name="reveal",
        title="Reveal contact",
        right=Right.REVEAL,
        form=ReasonForm,
        carry_out=_reveal,
        about="Who reveals a number, and why, is kept in the audit trail.",
        icon="visibility",
    ),
    note_action(NoteSubject.CUSTOMER),
)
