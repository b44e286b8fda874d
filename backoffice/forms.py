"""What the forms of actions share. A form parses what was typed; the service decides."""

from datetime import date, datetime
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from unfold.widgets import (
    UnfoldAdminEmailInputWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from backoffice.figures import is_usual_day
from backoffice.formats import cents
from backoffice.staff import Staff
from core.ids import random_base62
from core.mailboxes import validate_public_address
from core.money import decimal_text, is_currency, minor_digits
from core.text import PRINTABLE_RULE, is_printable

FORM_KEY_CHARACTERS = 22
MODES = (("live", "live"), ("test", "test"))
LAST_FIELDS = ("reason", "note")


def default_mode() -> str:
    """Return the mode that lists and forms start with: live, in development test."""
    return "test" if settings.DEVELOPMENT_MODE else "live"


class TextInputField(forms.CharField):
    widget = UnfoldAdminTextInputWidget

    def validate(self, value: str) -> None:
        super().validate(value)
        if not is_printable(value, lines=isinstance(self.widget, forms.Textarea)):
            raise forms.ValidationError(f"This {PRINTABLE_RULE}.")


class TextAreaField(TextInputField):
    widget = UnfoldAdminTextareaWidget(attrs={"rows": 3})


class SelectField(forms.ChoiceField):
    widget = UnfoldAdminSelectWidget

    def __init__(self, choices: Any, **options: Any) -> None:
        super().__init__(choices=choices, **options)


class ModeField(SelectField):
    def __init__(self) -> None:
        super().__init__(MODES, initial=default_mode)


class CurrencyCodeField(TextInputField):
    """A currency code in capitals; by default that of the service."""

    def __init__(self) -> None:
        super().__init__(max_length=3, initial=lambda: settings.DEFAULT_CURRENCY)

    def clean(self, value: Any) -> str:
        currency = str(super().clean(value)).upper()
        if not is_currency(currency):
            raise forms.ValidationError("Enter a currency code such as BSD.")
        return currency


class CheckboxField(forms.BooleanField):
    """A box that must be ticked, unless `required` is false."""

    widget = UnfoldBooleanWidget


class DateInputField(forms.DateField):
    """A day of the years 2000 to 9998: there is no day after the calendar's last."""

    widget = UnfoldAdminTextInputWidget(attrs={"type": "date"})

    def clean(self, value: Any) -> date | None:
        day: date | None = super().clean(value)
        if day is not None and not is_usual_day(day):
            raise forms.ValidationError("Enter a day of the years 2000 to 9998.")
        return day


class EmailField(forms.EmailField):
    widget = UnfoldAdminEmailInputWidget
    default_validators: ClassVar[list[Any]] = [validate_public_address]  # type: ignore[misc]  # of Django's stubs

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=254, **options)


class MoneyField(forms.CharField):
    """An amount as people write it, parsed into the smallest unit of `currency`."""

    currency = ""
    widget = UnfoldAdminTextInputWidget(attrs={"inputmode": "decimal", "autocomplete": "off"})

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=20, **options)

    def prepare_value(self, value: Any) -> Any:
        return decimal_text(value, self.currency) if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        amount = cents(text, self.currency)
        if amount is None:
            sample = decimal_text(10 ** minor_digits(self.currency) * 1250 // 100, self.currency)
            raise forms.ValidationError(f"Enter an amount in {self.currency}, such as {sample}.")
        return amount


class ActionForm(forms.Form):
    """The form of an action on `row`: by itself, it only asks for a confirmation.

    Its key makes a form sent twice a single action. `query` is the query string: on a list, its
    filters. `guard` is the hidden field that states what the form has shown of the row: the service
    rejects a stale one.
    """

    guard: ClassVar[str] = ""
    warnings_id: ClassVar[str] = "bo-warnings"
    form_key = forms.CharField(max_length=64, widget=forms.HiddenInput())

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        row: Any,
        staff: Staff,
        now: datetime,
        query: str = "",
    ) -> None:
        self.row, self.staff, self.now, self.query = row, staff, now, query
        super().__init__(data, files)
        first = [name for name in self.fields if name not in LAST_FIELDS]
        self.order_fields([*first, *LAST_FIELDS])
        self.fields["form_key"].initial = random_base62(FORM_KEY_CHARACTERS)
        self.prepare()
        if self.guard:
            self.fields[self.guard].initial = self.shown()

    def prepare(self) -> None:
        """Fill in what depends on the row: amounts, currencies, choices."""

    def shown(self) -> Any:
        """Return what the form shows of the row now, as its `guard` states it."""

    def hide(self, *names: str) -> None:
        """Leave fields out of the page: what is sent for them is still read."""
        for name in names:
            self.fields[name].widget = forms.HiddenInput()

    def lines(self) -> list[str]:
        """Return what is about to happen, with the figures of the row."""
        return []

    def warnings(self) -> list[str]:
        """Return what to check twice before sending it."""
        return []

    def take_focus(self) -> None:
        """Let the page begin in the first field, or in the first with an error.

        What warns above it is part of its description: a screen reader starts there, too.
        """
        fields = self.visible_fields()
        wrong = [field for field in fields if field.errors]
        for first in (wrong or fields)[:1]:
            described = f"{self.warnings_id} {first.aria_describedby or ''}".strip()
            first.field.widget.attrs |= {"autofocus": True, "aria-describedby": described}

    def renew(self) -> None:
        """Update what guards against a stale form, once a refusal has reported it."""
        if self.guard:
            self.data = dict(self.data.items()) | {self.guard: self.shown()}

    def set_currency(self, currency: str) -> None:
        """Parse and format every amount of the form in this currency."""
        for field in self.fields.values():
            if isinstance(field, MoneyField):
                field.currency = currency


class ReasonForm(ActionForm):
    """An action that needs a reason, after anything else that it asks."""

    reason = TextInputField(max_length=500, help_text="Recorded in the audit trail.")


class NotedForm(ReasonForm):
    """An action that needs a note for the other staff as well."""

    note = TextAreaField(max_length=2_000)


class CurrencyForm(NotedForm):
    currency = CurrencyCodeField()
    amount = MoneyField()

    def prepare(self) -> None:
        asked = str(self.data.get("currency", "") or settings.DEFAULT_CURRENCY).upper()
        self.set_currency(asked if is_currency(asked) else settings.DEFAULT_CURRENCY)
