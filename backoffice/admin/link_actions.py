"""Create a payment link and send it; end one."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.forms import ActionForm, ModeField, MoneyField, TextInputField
from backoffice.resource.page_urls import page_of
from backoffice.roles import Right
from backoffice.services.links import LinkRequest, send_link
from links.models import PaymentLink
from links.services import deactivate_link
from links.statuses import LinkStatus
from merchants.statuses import MerchantStatus
from messages.models import Channel


class SendLinkForm(ActionForm):
    """A link for one payment, good for a week."""

    mode = ModeField()
    amount = MoneyField(required=False, help_text="Empty: the customer enters it.")
    description = TextInputField(max_length=500, required=False)
    recipient = TextInputField(max_length=254, label="Phone number or e-mail address")

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


def _send(context: ActionContext) -> PaymentLink:
    recipient = context.data["recipient"]
    request = LinkRequest(
        merchant_id=context.row.pk,
        livemode=context.data["mode"] == "live",
        amount=context.data["amount"],
        currency=settings.DEFAULT_CURRENCY,
        description=context.data["description"],
        channel=Channel.EMAIL if "@" in recipient else Channel.SMS,
        recipient=recipient,
    )
    return send_link(staff=context.staff, request=request, now=context.now)


def _sent(link: PaymentLink) -> ActionResult:
    message = f"The link has been sent. To read it out: {link.url}"
    return ActionResult(message, url=page_of(link))


SEND_LINK = Action(
    name="send-link",
    title="Send payment link",
    right=Right.LINK,
    form=SendLinkForm,
    service=_send,
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
