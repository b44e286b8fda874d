"""The body of a request that moves everything if it names no amount."""

from typing import Any, ClassVar

from core.operations import refuse_unread, unread_fields
from core.serializers import Input
from merchants.authentication import LOOKUPS


class OptionalAmountInput(Input):
    """A body whose `amount`, in cents, may be left out: that means all there is.

    A null, or a misnamed field such as `Amount` or `total`, must not have the same effect.
    """

    never_null: ClassVar[tuple[str, ...]] = ("amount",)

    @classmethod
    def parse(cls, data: Any) -> dict[str, Any]:
        """Return the valid values. Without an amount, also raises for any unknown field."""
        values = super().parse(data)
        if "amount" not in values:
            refuse_unread(unread_fields(data, cls, LOOKUPS))
        return values
