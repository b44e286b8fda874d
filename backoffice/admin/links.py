"""Payment links: sent by staff, with the payments through them, and how to end one."""

from datetime import datetime

from django.conf import settings
from django.core.exceptions import ValidationError

from backoffice import formats
from backoffice.actions import Action, ActionResult
from backoffice.admin.office import OfficeAdmin
from backoffice.forms import MODES, ActionForm, ModeField, MoneyField, SelectField, TextInputField
from backoffice.page_parts import SupportAnswer
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import ModeFilter, status_filter
from backoffice.resource.list_filters import MerchantFilter
from backoffice.resource.page_urls import page_of
from backoffice.resource.resource import Related
from backoffice.resource.shown import (
    Actor,
    Amount,
    Field,
    Figure,
    Id,
    Instant,
    actor_words,
    linked_actor,
)
from backoffice.resource.usual_fields import AMOUNT, CREATED, MERCHANT, MODE, STATUS_NOW
from backoffice.roles import Right
from backoffice.services.support import send_link, sent_by
from core.clock import request_now
from core.mailboxes import validate_public_address
from links.models import PaymentLink
from links.services import deactivate_link
from links.statuses import LinkStatus
from merchants.standing import may_act
from merchants.statuses import MerchantStatus
from payments.models import Payment


class SendLinkForm(ActionForm):
    """A link for one payment, valid for a week."""

    mode = ModeField()
    amount = MoneyField(required=False, help_text="Empty: the customer enters it.")
    description = TextInputField(max_length=500, required=False)
    recipient = TextInputField(max_length=254, label="Phone number or e-mail address")

    def prepare(self) -> None:
        self.set_currency(settings.DEFAULT_CURRENCY)
        if not may_act(self.row, livemode=True):
            self.fields["mode"] = SelectField(MODES[1:])

    def lines(self) -> list[str]:
        return [f"A payment to {self.row.name}, in {settings.DEFAULT_CURRENCY}."]

    def clean_recipient(self) -> str:
        recipient = str(self.cleaned_data["recipient"]).strip()
        if "@" in recipient:
            try:
                validate_public_address(recipient)
            except ValidationError:
                raise ValidationError("This is not an e-mail address.") from None
        return recipient


def _sent(link: PaymentLink) -> ActionResult:
    message = f"The link is being sent. To read it out: {link.url}"
    return ActionResult(message, url=page_of(link))


SEND_LINK = Action(
    name="send-link",
    title="Send payment link",
    right=Right.LINK,
    form=SendLinkForm,
    service=send_link,
    message=_sent,
    icon="link",
    available=lambda merchant, instant: merchant.status != MerchantStatus.SUSPENDED,
)
END_LINK = Action(
    name="end",
    title="End link",
    right=Right.LINK,
    service=deactivate_link,
    message="This link can no longer be paid.",
    audited_as="end payment link",
    watches=("status",),
    about="An ended link cannot be reactivated.",
    icon="link_off",
    danger=True,
    available=lambda link, instant: link.status_at(instant) == LinkStatus.ACTIVE,
)


def _expires(link: PaymentLink) -> str:
    """Say until when it can be paid; empty if it ended in another way."""
    if link.status_at(request_now()) not in (LinkStatus.ACTIVE, LinkStatus.EXPIRED):
        return ""
    return formats.moment(link.expires_at) if link.expires_at else "never"


def _created_by(link: PaymentLink) -> str:
    entry = sent_by(link)
    if entry:
        return f"{entry.actor} (staff), for {entry.after['sent_to']}"
    return linked_actor(link.created_by) if link.created_by else "the shop: key not recorded"


def _uses(link: PaymentLink) -> str:
    most = f" of {link.max_uses}" if link.max_uses else ", no limit"
    return f"{link.uses_count}{most}"


def _ended(link: PaymentLink, now: datetime) -> str:
    """Say why a link can no longer be paid; empty if it can."""
    at, by = formats.clock(link.ended_at, now), actor_words(link.ended_by)
    return {
        LinkStatus.ACTIVE: "",
        LinkStatus.USED_UP: f"Paid as often as it may be ({_uses(link)}), most recently {at}.",
        LinkStatus.EXPIRED: f"It expired {formats.clock(link.expires_at, now)}.",
        LinkStatus.DEACTIVATED: f"It was ended {at} by {by}.",
    }[link.status_at(now)]


DESCRIPTION = Field("Description", "description")
USES = Field("Uses", _uses)


class PaymentLinkAdmin(OfficeAdmin):
    model = PaymentLink
    list_select_related = ("merchant",)
    list_display = (CREATED, AMOUNT, STATUS_NOW, MERCHANT, DESCRIPTION, USES, MODE, Id("Link"))
    list_filter = (DayFilter, status_filter(LinkStatus), ModeFilter, MerchantFilter)
    indexed = frozenset({"merchant"})
    row_actions = (END_LINK,)
    details = (
        Field("Created by", _created_by),
        Field("Address", "url"),
        Amount("Collected", "amount_collected"),
        Figure("Opened", "opened_count"),
        Field("Expires", _expires),
        Instant("Ended", "ended_at"),
        Actor("Ended by", "ended_by"),
    )
    related = (Related(Payment, "link", "Payments through it"),)

    def answer(self, row: PaymentLink, now: datetime) -> SupportAnswer:
        if ended := _ended(row, now):
            return SupportAnswer([f"{ended} It takes a new link."])
        if row.merchant.status == MerchantStatus.SUSPENDED:
            return SupportAnswer(["The merchant is suspended: it cannot be paid."], "bad")
        until = f" until {formats.clock(row.expires_at, now)}" if row.expires_at else ""
        return SupportAnswer([f"It can be paid{until}."], "good")

    def heading(self, row: PaymentLink) -> str:
        amount = formats.money(row.amount, row.currency) if row.amount else "any amount"
        return f"Payment link for {amount}"
