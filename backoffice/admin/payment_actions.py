"""What staff can do to a payment."""

from django import forms
from django.utils.html import format_html

from backoffice import formats
from backoffice.actions import Action
from backoffice.admin.submission import instruction_action
from backoffice.forms import ActionForm, EmailField, MoneyField, TextAreaField, TextInputField
from backoffice.request_answer import refund_warnings
from backoffice.roles import InstructionKind, Right
from backoffice.services.instruction_kinds import REFUND as REFUND_TASK
from backoffice.services.instructions import left_without_approval
from backoffice.services.money import left_to_refund
from backoffice.services.support import send_receipt
from core.money import minor_digits
from payments.services import cancel_payment
from payments.statuses import CANCELABLE, PaymentStatus


class RefundForm(ActionForm):
    """A refund, by default of all that is left. It rejects a stale view of that."""

    amount = MoneyField(label="Amount to refund")
    reason = TextInputField(
        max_length=500, help_text="The merchant and the customer can read this."
    )
    note = TextAreaField(
        max_length=2_000, help_text="Who called and what was agreed. Visible to staff only."
    )
    guard = "expected_available"
    expected_available = forms.IntegerField(widget=forms.HiddenInput())

    def prepare(self) -> None:
        self.set_currency(self.row.currency)
        self.left = left_to_refund(self.row, self.now)
        self.fields["amount"].initial = self.left

    def shown(self) -> int:
        return int(self.row.amount_refundable)

    def lines(self) -> list[str]:
        left = self.left
        words = [f"{formats.money(left, self.row.currency)} can still be refunded."]
        if asked := self.row.amount_refundable - left:
            waiting = formats.money(asked, self.row.currency)
            words.append(f"{waiting} more waits for a colleague's approval.")
        if self._asked() <= left:
            words.append(self._after(left))
        alone = left_without_approval(
            staff=self.staff, kind=InstructionKind.REFUND, livemode=self.row.livemode, now=self.now
        )
        if alone < left:
            most = formats.money(alone, self.row.currency)
            words.append(f"Up to {most} at once; more waits for a colleague's approval.")
        return words

    def warnings(self) -> list[str]:
        return refund_warnings(self.row, min(self._asked(), self.left))

    def _asked(self) -> int:
        """Return the amount to refund, in cents: 0 while what was entered is no amount."""
        return (self.cleaned_data.get("amount") or 0) if self.is_bound else self.left

    def _after(self, left: int) -> str:
        """What would be left; a script updates it while the amount is typed."""
        amount = self._asked()
        currency = self.row.currency
        return format_html(
            'After this refund: <output for="{}" data-left="{}" data-digits="{}" data-sample="{}">'
            "{}</output> left.",
            self["amount"].id_for_label,
            left,
            minor_digits(currency),
            formats.money(left, currency),
            formats.money(left - amount, currency) if amount else "—",
        )


REFUND = instruction_action(
    REFUND_TASK,
    title="Refund",
    is_repeated=True,
    form=RefundForm,
    form_arguments=("expected_available",),
    done_message="The refund has been made.",
    icon="undo",
    main=True,
    available=lambda payment, now: left_to_refund(payment, now) > 0,
)
CANCEL = Action(
    name="cancel",
    title="Cancel payment",
    right=Right.CANCEL,
    service=lambda context: cancel_payment(
        caller=context.caller,
        payment_id=context.row.pk,
        cause=context.data["reason"][:255],
        now=context.now,
    ),
    message="The payment is canceled. No money was taken.",
    audited_as="cancel payment",
    watches=("status",),
    about="It can no longer be paid. The merchant is notified.",
    icon="block",
    danger=True,
    available=lambda payment, now: payment.status_at(now) in CANCELABLE,
)


class ReceiptForm(ActionForm):
    """The recipient of the receipt: the address on file, or another."""

    recipient = EmailField(label="E-mail address")

    def prepare(self) -> None:
        customer = self.row.customer
        self.known = self.row.customer_email or (customer.email if customer else "")
        self.fields["recipient"].required = not self.known
        if self.known:
            self.fields["recipient"].help_text = "Leave it empty for the address on file."

    def clean_recipient(self) -> str:
        return str(self.cleaned_data["recipient"] or self.known)


RECEIPT = Action(
    name="receipt",
    title="Send receipt",
    right=Right.RECEIPT,
    form=ReceiptForm,
    service=send_receipt,
    message="The receipt has been queued.",
    icon="receipt_long",
    available=lambda payment, now: payment.status == PaymentStatus.COMPLETED,
)
