"""The body of a request in which no field is ignored."""

from typing import Any

from core.operations import refuse_unread, unread_fields
from core.serializers import Input
from merchants.authentication import LOOKUPS


class StrictInput(Input):
    """A body in which a field left out means more: a misnamed one must not count as left out.

    A key without `scopes` may do everything, and a payout without `amount` takes all there is.
    """

    @classmethod
    def parse(cls, data: Any) -> dict[str, Any]:
        """Return the valid values. Also raises for any field that nothing reads."""
        values = super().parse(data)
        if cls.refuses_unread(values):
            refuse_unread(unread_fields(data, cls, LOOKUPS))
        return values

    @classmethod
    def refuses_unread(cls, values: dict[str, Any]) -> bool:
        """Return whether fields that nothing reads are refused beside these values."""
        return True
