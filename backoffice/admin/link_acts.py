"""Create a payment link and send it; end one."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.urls import reverse

from backoffice.acts import Act, Done, Work
from backoffice.forms import ActForm, Choice, Line, MoneyField, ReasonForm
from backoffice.roles import Right
from backoffice.services.links import LinkWish, end_link, send_link
from links.statuses import LinkStatus
from merchants.statuses import MerchantStatus
from messages.models import Channel


class SendLinkForm(ActForm):
    """A link for one payment, good for a week."""

    mode = Choice((("live", "live"), ("test", "test")))
    amount = MoneyField(required=False, help_text="Empty: the customer enters it.")
    description = Line(max_length=500, required=False)
    recipient = Line(max_length=254, label="Phone number or e-mail address")

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


def _send(work: Work) -> Done:
    recipient = work.data["recipient"]
    link = send_link(
        staff=work.staff,
        wish=LinkWish(
            merchant_id=work.row.pk,
            livemode=work.data["mode"] == "live",
            amount=work.data["amount"],
            currency=settings.DEFAULT_CURRENCY,
            description=work.data["description"],
            channel=Channel.EMAIL if "@" in recipient else Channel.SMS,
            recipient=recipient,
        ),
        now=work.now,
    )
    url = reverse("admin:links_paymentlink_change", args=[link.pk])
    return Done(f"The link is on its way. To read it out: {link.url}", url=url)


def _end(work: Work) -> Done:
    end_link(staff=work.staff, link_id=work.row.pk, reason=work.data["reason"], now=work.now)
    return Done("Nobody can pay through this link any more.")


SEND_LINK = Act(
    name="send-link",
    title="Send payment link",
    right=Right.LINK,
    form=SendLinkForm,
    carry_out=_send,
    icon="link",
    offered=lambda merchant, instant: merchant.status != MerchantStatus.SUSPENDED,
)
END_LINK = Act(
    name="end",
    title="End link",
    right=Right.LINK,
    form=ReasonForm,
    carry_out=_end,
    about="It cannot be opened again.",
    icon="link_off",
    danger=True,
    offered=lambda link, instant: link.status_at(instant) == LinkStatus.ACTIVE,
)
