"""What staff can do for a customer, and to one."""

from datetime import datetime
from typing import Any

from django.conf import settings

from backoffice.acts import Act, Done, Work
from backoffice.admin.instructing import told
from backoffice.admin.noting import note_act
from backoffice.forms import ActForm, Choice, CurrencyForm, Line, MoneyField, ReasonForm
from backoffice.models import NoteSubject
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.customers import (
    LOOKED_BACK,
    Identity,
    release,
    remove_passkey,
    reveal,
    stop,
    unlock,
)
from backoffice.services.instructions import Wish, instruct
from backoffice.services.money import TAKE
from customers.models import Customer, Passkey


class IdentityForm(ActForm):
    """What the caller says of themselves. Two things must be right."""

    amount = MoneyField(
        required=False, label=f"Amount of a payment in the last {LOOKED_BACK.days} days"
    )
    merchant = Line(max_length=255, required=False, label="To which merchant that payment was")
    email = Line(max_length=254, required=False, label="Their e-mail address on file")

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
    reason = Line(max_length=500, help_text="Kept in the audit trail.")


def _unlock(work: Work) -> Done:
    unlock(
        staff=work.staff,
        customer_id=work.row.pk,
        identity=work.data["identity"],
        now=work.now,
    )
    return Done("The PIN is unlocked. The customer can try again at once.")


def _is_locked(customer: Customer, now: datetime) -> bool:
    return not customer.pin_is_disabled and bool(
        customer.pin_failures or (customer.pin_locked_until and customer.pin_locked_until > now)
    )


def _stop(work: Work) -> Done:
    stop(staff=work.staff, customer_id=work.row.pk, reason=work.data["reason"], now=work.now)
    return Done("Frozen. Nothing can be paid from this wallet.")


def _release(work: Work) -> Done:
    release(staff=work.staff, customer_id=work.row.pk, reason=work.data["reason"], now=work.now)
    return Done("The customer can pay again.")


def _reveal(work: Work) -> Done:
    contact = reveal(
        staff=work.staff, customer_id=work.row.pk, reason=work.data["reason"], now=work.now
    )
    return Done("Noted in the audit trail.", secret=contact, secret_name="Phone and e-mail address")  # noqa: S106


class AdjustWalletForm(CurrencyForm):
    direction = Choice((("give", "Put money into the wallet"), (TAKE, "Take money out of it")))
    field_order = ("form_key", "direction", "currency", "amount", "reason", "note")


def _wish(work: Work, task: str, **arguments: Any) -> Wish:
    return Wish(
        task=task,
        subject_id=work.row.pk,
        livemode=work.row.livemode,
        amount=work.data["amount"],
        currency=work.data["currency"],
        reason=work.data["reason"],
        note=work.data["note"],
        form_key=work.data["form_key"],
        arguments=arguments,
        note_on=NoteSubject.CUSTOMER,
    )


def _top_up(work: Work) -> Done:
    wish = _wish(work, instruction_kinds.TOP_UP)
    return told(instruct(staff=work.staff, wish=wish, now=work.now), "The money is in the wallet.")


def _adjust(work: Work) -> Done:
    wish = _wish(work, instruction_kinds.ADJUST_WALLET, direction=work.data["direction"])
    return told(instruct(staff=work.staff, wish=wish, now=work.now), "The wallet is adjusted.")


def _remove_passkey(work: Work) -> Done:
    remove_passkey(
        staff=work.staff,
        passkey_id=work.row.pk,
        identity=work.data["identity"],
        reason=work.data["reason"],
        now=work.now,
    )
    return Done("The passkey opens nothing any more.")


def _is_usable(passkey: Passkey, now: datetime) -> bool:
    return passkey.removed_at is None


REMOVE_PASSKEY = Act(
    name="remove",
    title="Remove passkey",
    right=Right.REMOVE_PASSKEY,
    form=LostDeviceForm,
    carry_out=_remove_passkey,
    about="For a lost or stolen device. Freeze the customer first if someone may be paying.",
    icon="no_encryption",
    danger=True,
    offered=_is_usable,
)

CUSTOMER_ACTS: tuple[Act, ...] = (
    Act(
        name="unlock-pin",
        title="Unlock PIN",
        right=Right.UNLOCK_PIN,
        form=IdentityForm,
        carry_out=_unlock,
        icon="lock_open",
        main=True,
        offered=_is_locked,
    ),
    Act(
        name="freeze",
        title="Freeze",
        right=Right.FREEZE,
        form=ReasonForm,
        carry_out=_stop,
        about="Nothing can be paid from this wallet until it is unfrozen.",
        icon="ac_unit",
        danger=True,
        offered=lambda customer, now: customer.frozen_at is None,
    ),
    Act(
        name="unfreeze",
        title="Unfreeze",
        right=Right.UNFREEZE,
        form=ReasonForm,
        carry_out=_release,
        icon="wb_sunny",
        offered=lambda customer, now: customer.frozen_at is not None,
    ),
    Act(
        name="top-up",
        title="Top up",
        right=Right.TOP_UP,
        form=CurrencyForm,
        carry_out=_top_up,
        icon="add_card",
    ),
    Act(
        name="adjust",
        title="Adjust wallet",
        right=Right.ADJUST,
        form=AdjustWalletForm,
        carry_out=_adjust,
        about="A correction is a transfer of its own, between the house and the wallet.",
        icon="balance",
    ),
    Act(
        name="reveal",
        title="Reveal contact",
        right=Right.REVEAL,
        form=ReasonForm,
        carry_out=_reveal,
        about="Who reveals a number, and why, is kept in the audit trail.",
        icon="visibility",
    ),
    note_act(NoteSubject.CUSTOMER),
)
