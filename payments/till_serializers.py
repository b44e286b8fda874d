"""The input and output serializers of a merchant's till."""

from typing import Any

from django.conf import settings

from core.fields import (
    AmountField,
    CurrencyField,
    InstantField,
    ListOf,
    StrictBooleanField,
    TextField,
)
from core.serializers import Change, Input, Output
from payments.tills import MOST_PRODUCTS

MAX_PRODUCT_NAME = 40


class TillProduct(Input):
    name = TextField(max_length=MAX_PRODUCT_NAME)
    price = AmountField()
    currency = CurrencyField(required=False)


class ChangedTill(Change):
    """A null takes the value away."""

    products = ListOf(child=TillProduct(), max_length=MOST_PRODUCTS, allow_null=True)
    tips_allowed = StrictBooleanField(allow_null=True)

    @classmethod
    def parse(cls, data: Any) -> dict[str, Any]:
        """Return the columns to change; a null resets to the default. Raises as Change does."""
        changes = super().parse(data)
        if "products" in changes:
            changes["products"] = [
                {"currency": settings.DEFAULT_CURRENCY, **product}
                for product in changes["products"] or []
            ]
        if "tips_allowed" in changes:
            changes["tips_allowed"] = bool(changes["tips_allowed"])
        return changes


class TillProductOutput(Output):
    name = TextField(max_length=MAX_PRODUCT_NAME)
    price = AmountField()
    currency = CurrencyField()


class TillOutput(Output):
    merchant_id = TextField(max_length=40)
    livemode = StrictBooleanField()
    products = TillProductOutput(many=True)
    tips_allowed = StrictBooleanField()
    updated_at = InstantField(required=False)
