"""Create a payment link and send it; end one."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.urls import reverse

from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.forms import ActionForm, MoneyField, ReasonForm, SelectField, TextField
from backoffice.models import Channel
from backoffice.roles import Right
from backoffice.services.links import LinkRequest, end_link, send_link
from links.statuses import LinkStatus
from merchants.statuses import MerchantStatus


class SendLinkForm(ActionForm):
    """A link for one payment, good for a week."""

    mode = SelectField((("live", "live"), ("test", "test")))
    amount = MoneyField(required=False, help_text="Empty: the customer enters it.")
    description = TextField(max_length=500, required=False)
    recipient = TextField(max_length=254, label="Phone number or e-mail address")

    def prepare(self) -> None:
        self.set_currency(settings.DEFAULT_CURRENCY)
        self.fields["mode"].initial = "test" if settings.DEVELOPMENT_MODE else "live"

    def lines(self) -> list[str]:
        return [f"A payment to {self.row.name}, in {settings.DEFAULT_CURRENCY}."]

    def clean_recipient(self) -> str:
        recipient = str(self.cleaned_data["recipient"]).strip()
        if "@" in recipient:
            try:
                validate_email(recipient)
            except ValidationError:
                raise ValidationError("This is not an e-mail address.") from None
        return recipient


def _send(context: ActionContext) -> ActionResult:
    recipient = context.data["recipient"]
    link = send_link(
        staff=context.staff,
        request=LinkRequest(
            merchant_id=context.row.pk,
            livemode=context.data["mode"] == "live",
            amount=context.data["amount"],
            currency=settings.DEFAULT_CURRENCY,
            description=context.data["description"],
            channel=Channel.EMAIL if "@" in recipient else Channel.SMS,
            recipient=recipient,
        ),
        now=context.now,
    )
    url = reverse("admin:links_paymentlink_change", args=[link.pk])
    return ActionResult(f"The link is on its way. To read it out: {link.url}", url=url)


def _end(context: ActionContext) -> ActionResult:
    end_link(
        staff=context.staff, link_id=context.row.pk, reason=context.data["reason"], now=context.now
    )
    return ActionResult("Nobody can pay through this link any more.")


SEND_LINK = Action(
    name="send-link",
    title="Send payment link",
    right=Right.LINK,
    form=SendLinkForm,
    carry_out=_send,
    icon="link",
    available=lambda merchant, instant: merchant.status != MerchantStatus.SUSPENDED,
)
END_LINK = Action(
    name="end",
    title="End link",
    right=Right.LINK,
    form=ReasonForm,
    carry_out=_end,
    about="It cannot be opened again.",
    icon="link_off",
    danger=True,
    available=lambda link, instant: link.status_at(instant) == LinkStatus.ACTIVE,
)
