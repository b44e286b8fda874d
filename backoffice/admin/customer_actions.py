"""What staff can do for a customer, or against one."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings

from backoffice import formats
from backoffice.actions import Action, ActionContext, ActionResult, as_returned
from backoffice.admin.submission import NOTE, instruction_action, submit, submitted
from backoffice.forms import (
    ActionForm,
    CurrencyForm,
    MoneyField,
    ReasonForm,
    SelectField,
    TextAreaField,
    TextInputField,
)
from backoffice.resource.page_urls import list_of
from backoffice.roles import Right
from backoffice.services import customers, instruction_kinds
from backoffice.services.money import TAKE
from backoffice.services.personal_data import export_personal_data, reasons_to_wait
from customers.account_changes import email_set_at
from customers.models import Customer
from customers.security_alerts import LINK_LIFETIME
from customers.services import freeze
from payments.models import Payment


class IdentityForm(ActionForm):
    """The caller's answers: the amount must be right, and one thing besides."""

    amount = MoneyField(
        required=False, label=f"Amount of a payment in the last {customers.LOOKED_BACK.days} days"
    )
    merchant = TextInputField(max_length=255, required=False, label="The merchant of that payment")
    email = TextInputField(max_length=254, required=False, label="Their e-mail address on file")

    def prepare(self) -> None:
        self.set_currency(settings.DEFAULT_CURRENCY)

    def lines(self) -> list[str]:
        return [
            "Ask the caller; do not read anything out. The amount must be right, and beside it the"
            " merchant (a word of its own, not “shop” or “the”) or the e-mail address.",
            "Payments without a PIN, or since a day before a freeze or a new PIN, do not count.",
        ]


class LostDeviceForm(IdentityForm):
    reason = TextInputField(
        max_length=500, help_text="Recorded in the audit trail; an approver sees it."
    )


class UnfreezeForm(LostDeviceForm):
    """Asks who is calling, if the customer asked for the freeze or it was for a theft."""

    def prepare(self) -> None:
        super().prepare()
        if not customers.must_identify_to_unfreeze(self.row, self.now):
            self.hide("amount", "merchant", "email")

    def lines(self) -> list[str]:
        lines = ["No answer is needed: the reason is enough."]
        if customers.must_identify_to_unfreeze(self.row, self.now):
            lines = super().lines()
        elif customers.is_frozen_for_theft(self.row):
            lines = ["Reported as stolen, with no payment to ask about: see an ID, and name it."]
        if customers.needs_second_person(self.row):
            lines.append("The passkeys are gone: a colleague must approve it.")
        if new := "; ".join(_new_keys(self.row, self.now)):
            lines.append(
                f"New in the last {LINK_LIFETIME.days} days: {new}. First make sure that it was the"
                " customer. Removing a passkey takes two of us; a code resets the PIN."
            )
        return lines


def _new_keys(customer: Customer, now: datetime) -> Iterator[str]:
    """Yield what opens the wallet and is new enough for the customer to deny it by a link."""
    since = now - LINK_LIFETIME
    if customer.pin_set_at and customer.pin_set_at > since:
        yield f"PIN, set {formats.clock(customer.pin_set_at, now)}"
    for passkey in customer.passkeys.usable().filter(created_at__gt=since).order_by("pk"):
        yield f"passkey “{passkey}”, added {formats.clock(passkey.created_at, now)}"
    set_at = email_set_at(customer.pk)
    if customer.email and set_at and set_at > since:
        yield f"e-mail address, confirmed {formats.clock(set_at, now)}"


class ErasureForm(ReasonForm):
    note = TextAreaField(max_length=2_000, required=False)

    def lines(self) -> list[str]:
        return [
            "Phone, e-mail address, name, PIN, passkeys, sessions, and the messages to this person"
            " go for good. Payments, refunds and transfers stay, under the customer's id alone.",
            "Write no name or number here: what you write stays.",
        ]

    def warnings(self) -> list[str]:
        refused = " ".join(map(str, self.non_field_errors()))
        return [words for words in reasons_to_wait(self.row) if words not in refused]


def _has_a_person(customer: Customer, now: datetime) -> bool:
    return customer.erased_at is None


class AdjustWalletForm(CurrencyForm):
    direction = SelectField((("give", "Put money into the wallet"), (TAKE, "Take money out of it")))
    field_order = ("form_key", "direction", "currency", "amount", "reason", "note")


def _with_answers(context: ActionContext, customer: Customer) -> dict[str, Any]:
    """Return the fields of a request with the caller's answers. It moves no money."""
    data = context.data
    identity = customers.Identity(data["amount"], data["merchant"], data["email"])
    return {
        "subject_id": customer.pk,
        "livemode": customer.livemode,
        "amount": 0,
        "arguments": customers.named_by_caller(customer, identity),
    }


def _removal(context: ActionContext) -> dict[str, Any]:
    passkey, fields = context.row, _with_answers(context, context.row.customer)
    used = formats.clock(passkey.last_used_at, context.now) or "never"
    known = {"passkey_id": passkey.pk, "passkey": f"{passkey}, last used: {used}"}
    return fields | {"arguments": known | fields["arguments"]}


REMOVE_PASSKEY = instruction_action(
    instruction_kinds.REMOVE_PASSKEY,
    name="remove",
    title="Remove passkey",
    form=LostDeviceForm,
    overrides=_removal,
    done_message="The passkey has been removed, and the customer signed out everywhere.",
    about="For a lost or stolen device. A colleague must approve it, in live mode."
    " Freeze the customer first if someone may be paying.",
    icon="no_encryption",
    danger=True,
    available=lambda passkey, now: passkey.removed_at is None,
)


def _unfreeze(context: ActionContext) -> ActionResult:
    """Unfreeze, or request a colleague's approval."""
    done = "The customer can pay again."
    if customers.needs_second_person(context.row):
        fields = _with_answers(context, context.row)
        return submitted(done)(submit(context, instruction_kinds.UNFREEZE, **fields))
    answers = {name: context.data[name] for name in ("amount", "merchant", "email", "reason")}
    customers.unfreeze_customer(
        staff=context.staff, customer_id=context.row.pk, now=context.now, **answers
    )
    return ActionResult(done)


def _secured(done: customers.Secured) -> ActionResult:
    """Report what was done, and lead to the payments that may be the thief's."""
    mode = "live" if done.customer.livemode else "test"
    email = ", and the new e-mail address" if done.has_removed_email else ""
    return ActionResult(
        f"Frozen. {formats.counted(done.sessions, 'session')} ended,"
        f" {formats.counted(done.passkeys, 'passkey')} removed{email}. These are the"
        " payments of the last 7 days, with what can be done about each: open those that the"
        " customer does not know. Ask the shop to stop what it has yet to deliver.",
        url=list_of(Payment, customer=done.customer.pk, mode=mode, day="7"),
    )


STOLEN = Action(
    name="stolen",
    title="Account stolen",
    right=Right.FREEZE,
    service=customers.secure_stolen,
    message=_secured,
    about="For a stolen phone or account: nothing can be paid, every session ends, the passkeys and"
    " a new e-mail address are removed, and the recent payments are listed.",
    icon="gpp_bad",
    danger=True,
    available=_has_a_person,
)
REVEAL = Action(
    name="reveal",
    title="Reveal contact",
    right=Right.REVEAL,
    service=customers.contact_details_of,
    message=lambda contact: ActionResult(
        "Recorded in the audit trail.",
        secret=contact,
        secret_name="Phone and e-mail address",  # noqa: S106  # a name of one
    ),
    audited_as="reveal contact",
    limited=True,
    about="The audit trail records who reveals a number, and why.",
    icon="visibility",
    available=_has_a_person,
)
CUSTOMER_ACTIONS: tuple[Action, ...] = (
    STOLEN,
    Action(
        title="Unlock PIN",
        right=Right.UNLOCK_PIN,
        form=IdentityForm,
        service=customers.unlock,
        message="The PIN has been unlocked. The customer can try again now.",
        icon="lock_open",
        main=True,
        available=lambda customer, now: (
            not customer.pin_is_disabled
            and (customer.pin_failures > 0 or customer.is_pin_locked(now))
        ),
    ),
    Action(
        title="Freeze",
        right=Right.FREEZE,
        service=lambda context: freeze(
            customer_id=context.row.pk,
            actor=context.staff.actor,
            cause=context.data["reason"],
            now=context.now,
        ),
        message="Frozen. Nothing can be paid from this wallet.",
        audited_as="freeze customer",
        watches=("frozen_at",),
        about="Nothing can be paid from this wallet until it is unfrozen.",
        icon="ac_unit",
        danger=True,
        available=lambda customer, now: customer.frozen_at is None,
    ),
    Action(
        title="Unfreeze",
        asked_once=instruction_kinds.UNFREEZE,
        right=Right.UNFREEZE,
        form=UnfreezeForm,
        service=_unfreeze,
        message=as_returned,
        icon="wb_sunny",
        available=lambda customer, now: customer.frozen_at and not customer.erased_at,
    ),
    instruction_action(
        instruction_kinds.TOP_UP,
        title="Top up",
        is_repeated=True,
        form=CurrencyForm,
        done_message="The wallet has been topped up.",
        icon="add_card",
        available=_has_a_person,
    ),
    instruction_action(
        instruction_kinds.ADJUST_WALLET,
        name="adjust",
        title="Adjust wallet",
        is_repeated=True,
        form=AdjustWalletForm,
        form_arguments=("direction",),
        done_message="The wallet has been adjusted.",
        about="Recorded as a separate transfer between the house and the wallet.",
        icon="balance",
    ),
    REVEAL,
    Action(
        title="Export data",
        right=Right.PERSONAL_DATA,
        service=export_personal_data,
        audited_as="export personal data",
        limited=True,
        message=lambda content: ActionResult(
            "Recorded in the audit trail.", file=content, file_name="personal-data.json"
        ),
        about="All data stored about this person, as a file. First make sure who is asking for it.",
        icon="download",
        available=_has_a_person,
    ),
    instruction_action(
        instruction_kinds.ERASE_CUSTOMER,
        title="Erase",
        form=ErasureForm,
        overrides=lambda context: {"note_on": None},  # what is written about a person goes, too
        done_message="The customer's data has been erased.",
        about="On the person's own request. A colleague must approve it; it cannot be undone.",
        icon="person_off",
        danger=True,
        available=lambda customer, now: customer.livemode and not customer.erased_at,
    ),
    NOTE,
)
