"""An amount as a customer types it, in the language of the page, made cents without a float."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkout.formats import decimal_point
from checkout.forms import Form, error_messages_for
from core.formats import money
from core.money import MAX_AMOUNT, minor_digits

MAX_TYPED = 30
GROUP = 3
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")


class AmountForm(Form):
    """What to pay at a counter or through an open link. `key` makes a double click one payment."""

    key = forms.CharField(widget=forms.HiddenInput, required=False)
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
        zero = "0" + (decimal_point() + "0" * minor_digits(currency)) * bool(minor_digits(currency))
        self.fields["amount"].widget.attrs["placeholder"] = zero

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


class RepeatGuardForm(Form):
    """The hidden key of a form that asks for nothing else."""

    key = forms.CharField(widget=forms.HiddenInput, required=False)


def read_amount(text: str, currency: str, point: str) -> int | None:
    """Return what was typed in the smallest unit; None where it is ambiguous.

    A sign of currency at either end, spaces, hyphens and brackets fall away; a minus does not. A
    lone `.` is the decimal point, a lone `,` too unless three digits follow and the language of the
    page (whose decimal point is `point`) groups with it; of both, the last one is the point.
    """
    bare = re.sub(r"^[A-Za-z\s]{0,4}[$€£]?|[$€£]?[A-Za-z\s]{0,4}$", "", text.strip())
    kept = re.sub(r"[\s()'\u2019]|(?<=[0-9])-", "", bare)
    if not re.fullmatch(r"[0-9.,]*[0-9][0-9.,]*", kept):
        return None
    return _cents(_normal(kept, point), minor_digits(currency))


def _normal(text: str, point: str) -> str:
    """Write a typed number with `,` between groups and `.` as the point."""
    marks = re.sub("[0-9]", "", text)
    if len(set(marks)) > 1:
        point = marks[-1]
    elif len(marks) == 1 and (marks == "." or len(text) - text.index(marks) - 1 != GROUP):
        point = marks
    return text.translate({ord("."): ",", ord(","): "."}) if point == "," else text


def _cents(text: str, digits: int) -> int | None:
    whole, _point, rest = text.partition(".")
    if not re.fullmatch("[0-9]*", whole) and not _GROUPED.fullmatch(whole):
        return None
    if len(rest) > digits or not re.fullmatch("[0-9]*", rest):
        return None
    try:
        return int(Decimal(f"{whole.replace(',', '') or '0'}.{rest or '0'}").scaleb(digits))
    except InvalidOperation:
        return None
