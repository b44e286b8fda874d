"""The forms at a counter: the cashier's sum for the QR code, and the customer's tip."""

from collections import Counter
from hashlib import sha256
from typing import Any

from babel.numbers import format_percent
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from checkout.amount_forms import AmountForm, RepeatGuardForm
from checkout.formats import decimal_point
from checkout.forms import Form
from core.amounts import MAX_TYPED, read_amount
from core.formats import money, region
from core.json import dump_json
from core.money import MAX_AMOUNT, basis_points_of
from payments.tills import TIP_PERCENTS

NO_TIP, OTHER_TIP = "0", "other"
MOST_OF_ONE = 99
QUANTITY = "quantity"
DIGEST_CHARACTERS = 16


class TipFields(Form):
    """A tip: none, a percentage of the sum, or an amount of the customer's choice.

    `sum_amount` is the sum in cents, or None if the customer enters that too.
    """

    tip = forms.ChoiceField(
        label=gettext_lazy("Add a tip?"),
        initial=NO_TIP,
        required=False,
        widget=forms.RadioSelect,
    )
    other_tip = forms.CharField(
        label=gettext_lazy("Another tip"),
        max_length=MAX_TYPED,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )

    def offer_tips(self, currency: str, sum_amount: int | None) -> None:
        """Set the choices, with their amounts if the sum is known."""
        shares = [(str(each), _percent(each, currency, sum_amount)) for each in TIP_PERCENTS]
        choices = [(NO_TIP, _("No tip")), *shares, (OTHER_TIP, _("Another tip"))]
        self.fields["tip"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField
        self.fields["other_tip"].widget.attrs["placeholder"] = money(0, currency)

    def tip_on(self, sum_amount: int, currency: str) -> int:
        """Return the tip in cents; add an error to the field if the input is not a valid tip."""
        chosen = self.cleaned_data.get("tip") or NO_TIP
        if chosen != OTHER_TIP:
            return basis_points_of(sum_amount, int(chosen) * 100)
        tip = read_amount(self.cleaned_data.get("other_tip", ""), currency, decimal_point())
        if tip is None or not 0 <= tip <= sum_amount:
            most = _("Enter a tip of up to %(most)s.") % {"most": money(sum_amount, currency)}
            self.add_error("other_tip", most)
            return 0
        return tip


class TicketForm(TipFields, RepeatGuardForm):
    """The customer's form for a sum fixed by the counter or its cashier."""

    def __init__(
        self, *args: Any, currency: str, sum_amount: int, tips: bool, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.currency, self.sum_amount, self.tips = currency, sum_amount, tips
        self.offer_tips(currency, sum_amount)

    def clean(self) -> dict[str, Any]:
        tip = self.tip_on(self.sum_amount, self.currency) if self.tips else 0
        return {**self.cleaned_data, "tip_amount": tip}


class CounterAmountForm(TipFields, AmountForm):
    """The amount and tip that a customer enters at a counter without a ticket."""

    field_order = ("key", "tip", "other_tip", "amount")

    def __init__(self, *args: Any, currency: str, tips: bool, **options: Any) -> None:
        super().__init__(*args, currency=currency, **options)
        self.tips = tips
        self.offer_tips(currency, None)

    def clean(self) -> dict[str, Any]:
        amount = self.cleaned_data.get("amount")
        tip = self.tip_on(amount, self.currency) if self.tips and amount else 0
        return {**self.cleaned_data, "tip_amount": tip}


class ChargeForm(RepeatGuardForm):
    """The cashier's sum: quantities of products, and an amount for anything else.

    A quantity applies only to the product and price shown next to it. If the products change while
    a screen is open, they are shown again before anything is charged.
    """

    amount = forms.CharField(
        label=gettext_lazy("Amount"),
        max_length=MAX_TYPED,
        required=False,
        widget=forms.TextInput(
            attrs={"inputmode": "decimal", "autocomplete": "off", "class": "amount-field"}
        ),
    )

    def __init__(
        self, *args: Any, currency: str, products: list[dict[str, Any]], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.currency, self.products = currency, _by_field(products)
        self.fields["amount"].widget.attrs["placeholder"] = money(0, currency)
        refused = _("Enter a number from 0 to %(most)d.") % {"most": MOST_OF_ONE}
        for name, product in self.products.items():
            self.fields[name] = forms.IntegerField(
                label=product["name"],
                required=False,
                min_value=0,
                max_value=MOST_OF_ONE,
                error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), refused),
                widget=forms.NumberInput(
                    attrs={"min": 0, "max": MOST_OF_ONE, "data-price": product["price"]}
                ),
            )

    @property
    def product_fields(self) -> list[tuple[dict[str, Any], forms.BoundField]]:
        return [(product, self[name]) for name, product in self.products.items()]

    def clean_amount(self) -> int:
        typed = self.cleaned_data["amount"]
        amount = read_amount(typed, self.currency, decimal_point()) if typed else 0
        if amount is None or amount > MAX_AMOUNT:
            raise forms.ValidationError(_("Enter an amount, or leave it empty."))
        return amount

    def clean(self) -> dict[str, Any]:
        items = [
            {"name": product["name"], "quantity": quantity, "price": product["price"]}
            for name, product in self.products.items()
            if (quantity := self.cleaned_data.get(name))
        ]
        if self._has_changed_products():
            changed = _("The products or their prices have changed. Check what you have picked.")
            self.add_error("amount", changed)
        elif not self.errors and not items and not self.cleaned_data["amount"]:
            self.add_error("amount", _("Enter an amount or pick a product."))
        return {**self.cleaned_data, "items": items}

    def _has_changed_products(self) -> bool:
        sent = {name for name, typed in self.data.items() if name.startswith(QUANTITY) and typed}
        return not sent <= self.products.keys()


def _by_field(products: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return products by field name, which is derived from the name and price that are shown."""
    seen: Counter[bytes] = Counter()
    named = {}
    for product in products:
        shown = dump_json([product["name"], product["price"]])
        digest = sha256(shown + b"%d" % seen[shown]).hexdigest()[:DIGEST_CHARACTERS]
        seen[shown] += 1
        named[f"{QUANTITY}-{digest}"] = product
    return named


def _percent(percent: int, currency: str, sum_amount: int | None) -> str:
    share = str(format_percent(percent / 100, locale=region()))  # a label, not an amount of money
    if sum_amount is None:
        return share
    return f"{share} · {money(basis_points_of(sum_amount, percent * 100), currency)}"
