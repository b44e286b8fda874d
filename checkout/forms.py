"""The forms of the checkout: their labels, hints and error messages.

They tolerate formatting: spaces, hyphens and brackets are removed. They never echo a PIN.
"""

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.forms.utils import ErrorDict, ErrorList
from django.utils.translation import gettext_lazy as _

from core.mailboxes import validate_public_address
from core.text import is_printable

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as StrOrPromise

NOT_A_PHONE = _(
    "Enter a mobile number with its country code, such as +1\u00a0242\u00a0555\u00a00100."
)
NOT_A_CODE = _("The code has 6 digits.")
NOT_A_PIN = _("A PIN has 4 to 6 digits.")
NOT_AN_ADDRESS = _("Enter an e-mail address such as name@example.com.")
MAX_PHONE, MAX_CODE, MAX_PIN, MAX_EMAIL = 40, 20, 20, 254
_NOISE = re.compile(r"[\s\u00a0().\-]")


def error_messages_for(
    required: "StrOrPromise", otherwise: "StrOrPromise"
) -> "dict[str, StrOrPromise]":
    """Return a field's error messages: for an empty and for an invalid value."""
    refused = ("invalid", "max_length", "null_characters_not_allowed")
    return {"required": required, **dict.fromkeys(refused, otherwise)}


class Form(forms.Form):
    """A form without Django's own rendering: templates/checkout/_field.html draws its fields."""

    use_required_attribute = False

    def say(self, message: str, *, at: str = "") -> None:
        """Show a message at the field of this name, or else at the last field."""
        self.add_error(at if at in self.fields else list(self.fields)[-1], message)

    def refill(self, typed: dict[str, str], errors: dict[str, list[str]]) -> None:
        """Restore a form that was refused before, without validating it again."""
        self.is_bound, self.data = True, typed
        self._errors = ErrorDict({name: ErrorList(found) for name, found in errors.items()})


class PhoneForm(Form):
    phone = forms.CharField(
        label=_("Phone number"),
        help_text=_("We will text you a code, so that no one else can pay with your wallet."),
        max_length=MAX_PHONE,
        error_messages=error_messages_for(_("Enter your phone number."), NOT_A_PHONE),
        widget=forms.TextInput(attrs={"type": "tel", "autocomplete": "tel", "inputmode": "tel"}),
    )

    def clean_phone(self) -> str:
        phone: str = self.cleaned_data["phone"]
        if not is_printable(phone):
            raise forms.ValidationError(NOT_A_PHONE)
        return phone


class SmsCodeForm(Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=MAX_CODE,
        error_messages=error_messages_for(_("Enter the code."), NOT_A_CODE),
        widget=forms.TextInput(
            attrs={
                "inputmode": "numeric",
                "autocomplete": "one-time-code",
                "class": "digits",
            }
        ),
    )

    def clean_code(self) -> str:
        return _NOISE.sub("", self.cleaned_data["code"])


class PinField(forms.CharField):
    """A PIN: 4 to 6 ASCII digits, with spaces and hyphens between them ignored."""

    def __init__(
        self, required: "StrOrPromise", *, autocomplete: str = "current-password", **options: Any
    ) -> None:
        attributes = {"inputmode": "numeric", "class": "digits", "autocomplete": autocomplete}
        super().__init__(
            max_length=MAX_PIN,
            error_messages=error_messages_for(required, NOT_A_PIN),
            widget=forms.PasswordInput(attrs=attributes),
            **options,
        )

    def clean(self, value: Any) -> str:
        pin = _NOISE.sub("", super().clean(value))
        if not re.fullmatch("[0-9]{4,6}", pin):
            raise forms.ValidationError(NOT_A_PIN)
        return pin


class PinForm(Form):
    pin = PinField(_("Enter your PIN."), label=_("PIN"), help_text=_("4 to 6 digits"))


class NewPinForm(Form):
    pin = PinField(
        _("Enter a PIN."),
        autocomplete="new-password",
        label=_("New PIN"),
        help_text=_("4 to 6 digits. Not a year, a pattern or part of your phone number."),
    )


class ChangePinForm(NewPinForm):
    """The current PIN, and the new one."""

    old = PinField(_("Enter your PIN."), label=_("Current PIN"))
    field_order = ("old", "pin")


class ResetPinForm(NewPinForm, SmsCodeForm):
    """A fresh code, and the new PIN."""


class EmailForm(Form):
    email = forms.CharField(
        label=_("E-mail address"),
        max_length=MAX_EMAIL,
        validators=[validate_public_address],
        error_messages=error_messages_for(_("Enter an e-mail address."), NOT_AN_ADDRESS),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
