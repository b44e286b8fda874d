"""The form for what a customer pays at a counter or through an open link."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkout.formats import decimal_point
from checkout.forms import Form, error_messages_for
from core.amounts import MAX_TYPED, read_amount
from core.formats import money
from core.money import MAX_AMOUNT, minor_digits


class RepeatGuardForm(Form):
    """The hidden `key` makes a double click one payment."""

    key = forms.CharField(widget=forms.HiddenInput, required=False)


class AmountForm(RepeatGuardForm):
    """What to pay at a counter or through an open link."""

    amount = forms.CharField(
        label=gettext_lazy("Amount"),
        max_length=MAX_TYPED,
        error_messages=error_messages_for(
            gettext_lazy("Enter the amount."), gettext_lazy("Enter the amount.")
        ),
        widget=forms.TextInput(
            attrs={"inputmode": "decimal", "autocomplete": "off", "class": "amount-field"}
        ),
    )

    def __init__(self, *args: Any, currency: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.currency = currency
        self.fields["amount"].widget.attrs["placeholder"] = money(0, currency)

    def clean_amount(self) -> int:
        amount = read_amount(self.cleaned_data["amount"], self.currency, decimal_point())
        if amount is None:
            example = money(10 ** minor_digits(self.currency) * 1250 // 100, self.currency)
            raise forms.ValidationError(_("Enter an amount such as %(sum)s.") % {"sum": example})
        if not 0 < amount <= MAX_AMOUNT:
            raise forms.ValidationError(
                _("Enter an amount between %(least)s and %(most)s.")
                % {"least": money(1, self.currency), "most": money(MAX_AMOUNT, self.currency)}
            )
        return amount
