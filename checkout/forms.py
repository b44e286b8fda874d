"""The forms of the checkout: what is asked, why, and what a wrong answer is told.

They forgive how a thing is typed: spaces, hyphens and brackets fall away. They never repeat a PIN.
"""

from django import forms
from django.utils.functional import lazystr
from django.utils.translation import gettext_lazy as _

_PIN_ATTRIBUTES = {"inputmode": "numeric", "maxlength": 12, "class": "digits", "required": True}


class PhoneForm(forms.Form):
    phone = forms.CharField(
        label=_("Phone number"),
        help_text=_("We text you a code, so that nobody else can pay with your wallet."),
        max_length=40,
        widget=forms.TextInput(
            attrs={"type": "tel", "autocomplete": "tel", "inputmode": "tel", "required": True}
        ),
    )


class CodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=20,
        widget=forms.TextInput(
            attrs={
                "inputmode": "numeric",
                "autocomplete": "one-time-code",
                "class": "digits",
                "required": True,
            }
        ),
    )


class PinForm(forms.Form):
    pin = forms.CharField(
        label=_("PIN"),
        help_text=_("4 to 6 digits"),
        widget=forms.PasswordInput(attrs=_PIN_ATTRIBUTES | {"autocomplete": "current-password"}),
    )


class NewPinForm(forms.Form):
    pin = forms.CharField(
        label=_("New PIN"),
        help_text=_("4 to 6 digits. Not 1234, not one digit over and over."),
        widget=forms.PasswordInput(attrs=_PIN_ATTRIBUTES | {"autocomplete": "new-password"}),
    )


class AmountForm(forms.Form):
    key = forms.CharField(widget=forms.HiddenInput, max_length=64)
    amount = forms.CharField(
        label=_("Amount"),
        max_length=24,
        widget=forms.TextInput(
            attrs={
                "inputmode": "decimal",
                "autocomplete": "off",
                "class": "amount-field",
                "placeholder": lazystr("0.00"),
            }
        ),
    )


class EmailForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail address"),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
