"""Reports of problems on the page of a receipt, and the answers."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkout.forms import Form, error_messages_for
from checkout.payment_view import PaymentView
from core import attempt_limits
from core.limits import MAX_TEXT
from core.text import is_piled, is_printable
from payments.models import Payment
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_models import Inquiry
from refunds.inquiry_statuses import InquiryReason, InquiryStatus

REPORTS = attempt_limits.AttemptLimit("problem-report", 5, timedelta(days=1))
REASONS = (
    (InquiryReason.NOT_RECEIVED, gettext_lazy("I did not get what I paid for")),
    (InquiryReason.NOT_AS_DESCRIBED, gettext_lazy("It is not what was promised")),
    (InquiryReason.WRONG_AMOUNT, gettext_lazy("The amount is wrong")),
    (InquiryReason.DUPLICATE, gettext_lazy("I paid twice")),
    (InquiryReason.UNRECOGNIZED, gettext_lazy("I do not recognize this payment")),
    (InquiryReason.OTHER, gettext_lazy("Something else")),
)
_CHOOSE = gettext_lazy("Choose what the problem is.")
_UNSTORABLE = gettext_lazy("This contains a character that cannot be stored.")


class LinesField(forms.CharField):
    """Several lines of text. Browsers count a line break once, but send two characters for it."""

    def to_python(self, value: object) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class ProblemForm(Form):
    """A reason from the list, and the customer's own words."""

    reason = forms.ChoiceField(
        label=gettext_lazy("What is the problem?"),
        choices=(("", gettext_lazy("Choose one")), *REASONS),
        error_messages=error_messages_for(_CHOOSE, _CHOOSE) | {"invalid_choice": _CHOOSE},
    )
    text = LinesField(
        label=gettext_lazy("Tell us what happened"),
        help_text=gettext_lazy("Never write a PIN or a code here."),
        max_length=MAX_TEXT,
        required=False,
        error_messages={
            "max_length": gettext_lazy("Write at most %(limit_value)d characters."),
            "null_characters_not_allowed": _UNSTORABLE,
        },
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        if is_piled(text):
            raise forms.ValidationError(_("A letter has too many marks above or below it."))
        if not is_printable(text, lines=True):
            raise forms.ValidationError(_UNSTORABLE)
        return text


@dataclass(frozen=True)
class ProblemEntry:
    """One entry of an inquiry: who wrote it, when, the text, or the resulting state."""

    who: str
    state: str
    text: str
    at: datetime
    is_own: bool


def send_report(
    *, payment: Payment, form: ProblemForm, actor: str, is_payer: bool, now: datetime
) -> Inquiry:
    """Submit a problem report; limited per day, since the page is public.

    The customer who paid has a separate limit, which visitors cannot use up. Raises RateLimited,
    PaymentNotCompleted.
    """
    subject = f"{payment.id} payer" if is_payer else payment.id
    attempt_limits.count_attempt(REPORTS, subject, now=now)
    reason = InquiryReason(form.cleaned_data["reason"])
    report = ProblemReport(reason=reason, text=form.cleaned_data["text"])
    return report_problem(payment_id=payment.id, report=report, actor=actor, now=now)


def has_messages(payment: Payment) -> bool:
    """Return whether a problem with this payment has been reported."""
    return Inquiry.objects.filter(payment=payment).exists()


def entries_of(payment_view: PaymentView, *, is_payer: bool) -> list[ProblemEntry]:
    """Return the entries of a payment's inquiry, oldest first; empty if there is none.

    `is_payer`: the reader is the customer who paid.
    """
    inquiry = Inquiry.objects.select_related("payment").filter(payment=payment_view.id).first()
    if inquiry is None:
        return []
    names = {
        "customer": _("You") if is_payer else _("The customer"),
        "visitor": _("Someone with this receipt"),
        "merchant": payment_view.payee.name,
        "service": settings.SERVICE_NAME,
    }
    states = {
        InquiryStatus.REFUNDED: _("Money was refunded: see the receipt."),
        InquiryStatus.CLOSED: _("Closed without a refund."),
    }
    return [
        ProblemEntry(
            who=names[entry.author],
            state=states.get(InquiryStatus(entry.status), ""),
            text=entry.text,
            at=entry.at,
            is_own=is_payer and entry.author == "customer",
        )
        for entry in inquiry.entries.all()
    ]
