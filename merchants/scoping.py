"""Reads that serve the API start from the caller: what is not theirs does not exist."""

from typing import ClassVar, Protocol, Self, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model, QuerySet

from core.errors import ApiError, NotFound

_Row = TypeVar("_Row", bound=Model)


class Scope(Protocol):
    """What a caller says about the rows it reaches: its merchant's, of its mode."""

    @property
    def merchant_id(self) -> str | None: ...

    @property
    def livemode(self) -> bool: ...

    @property
    def sees_every_merchant(self) -> bool: ...


class CallerScoped(QuerySet[_Row]):
    """Rows with `livemode` and `merchant_id`. `missing` is the error of a row that is not there."""

    missing: ClassVar[type[ApiError]] = NotFound

    def visible_to(self, caller: Scope) -> Self:
        """Keep the caller's rows of the caller's mode; none for a caller without a merchant."""
        rows = self.filter(livemode=caller.livemode)
        if caller.sees_every_merchant:
            return rows
        return (
            rows.none()
            if caller.merchant_id is None
            else rows.filter(merchant_id=caller.merchant_id)
        )

    def one(self, pk: str) -> _Row:
        """Return the row. Raises `missing`: unknown and foreign look the same."""
        try:
            return self.get(pk=pk)
        except ObjectDoesNotExist:
            raise self.missing() from None

    def locked(self, pk: str) -> _Row:
        """Return the row, locked until the transaction ends. Raises `missing`."""
        return self.select_for_update(no_key=True, of=("self",)).one(pk)
