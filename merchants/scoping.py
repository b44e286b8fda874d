"""Reads that serve the API start from the caller: what is not theirs does not exist."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, ClassVar, Protocol, Self, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model, QuerySet, Value

from core.errors import ApiError, NotFound
from core.prepared import Placeholder, Prepared
from core.queries import COMMON_WORDS, PAIRS, WORDS, Lookups
from core.search import BeginsWords, HoldsPairs, ReadsWords

_Row = TypeVar("_Row", bound=Model)


class Scope(Protocol):
    """What a caller may reach: rows of its merchant, in its mode."""

    @property
    def merchant_id(self) -> str | None: ...

    @property
    def livemode(self) -> bool: ...

    @property
    def sees_every_merchant(self) -> bool: ...


@dataclass(frozen=True)
class CallerKind:
    """A caller whose merchant is supplied later: what a prepared statement is built for."""

    livemode: bool
    sees_every_merchant: bool
    merchant_id: str | None = Placeholder("merchant_id")

    @classmethod
    def of(cls, caller: Scope) -> Self:
        return cls(caller.livemode, caller.sees_every_merchant)


class CallerScoped(QuerySet[_Row]):
    """Rows with `livemode` and `merchant_id`. `missing` is the error raised for a missing row."""

    missing: ClassVar[type[ApiError]] = NotFound
    # The columns whose words `q` finds. An index is built on them: a change needs a migration, too.
    searched: ClassVar[tuple[str, ...]] = ()

    def visible_to(self, caller: Scope) -> Self:
        """Keep the caller's rows of the caller's mode; none for a caller without a merchant."""
        if caller.sees_every_merchant:
            return self.filter(livemode=caller.livemode)
        if caller.merchant_id is None:
            return self.none()
        return self.filter(livemode=caller.livemode, merchant_id=caller.merchant_id)

    def listed(self, caller: Scope, lookups: Lookups, now: datetime | Value) -> Self:
        """Keep the caller's rows that pass the filters of a list at this moment."""
        return self.visible_to(caller).matching(lookups, caller)

    def matching(self, lookups: Lookups, caller: Scope | None = None) -> Self:
        """Keep the rows that match the look-ups, including their pairs and words, if any.

        Both are found among the caller's alone, whose rows these are.
        """
        others = dict(lookups)
        words, common = others.pop(WORDS, ()), others.pop(COMMON_WORDS, ())
        pairs = others.pop(PAIRS, {})
        merchant_id = None
        if caller is not None and not caller.sees_every_merchant:
            merchant_id = caller.merchant_id
        rows = self.filter(**others)
        if pairs:
            rows = rows.filter(HoldsPairs(pairs, merchant_id=merchant_id))
        if words:
            rows = rows.filter(BeginsWords(words, *self.searched, merchant_id=merchant_id))
        if common:
            rows = rows.filter(ReadsWords(common, *self.searched))
        return rows

    def one(self, pk: str) -> _Row:
        """Return the row. Raises `missing`: unknown and foreign look the same."""
        try:
            return self.get(pk=pk)
        except ObjectDoesNotExist:
            raise self.missing() from None

    def one_of(self, caller: Scope, pk: str) -> _Row:
        """Return the caller's row, as `visible_to(caller).one(pk)` does, by a prepared statement.

        It starts from all rows: earlier filters on the queryset are ignored.
        """
        return self._prepared_one(caller, pk, lock=False)

    def locked_of(self, caller: Scope, pk: str, *related: str) -> _Row:
        """Return the caller's row, locked until the transaction ends; prepared as `one_of` is.

        The `related` rows are fetched along with it, without a lock.
        """
        return self._prepared_one(caller, pk, *related, lock=True)

    def _prepared_one(self, caller: Scope, pk: str, *related: str, lock: bool) -> _Row:
        prepared = _prepared(self.model, CallerKind.of(caller), *related, lock=lock)
        found: _Row = prepared.one(self.missing, merchant_id=caller.merchant_id, pk=pk)
        return found

    def locked(self, pk: str) -> _Row:
        """Return the row, locked until the transaction ends. Raises `missing`."""
        return self.select_for_update(no_key=True, of=("self",)).one(pk)


@cache
def _prepared(model: type[Model], caller: CallerKind, *related: str, lock: bool) -> Prepared[Any]:
    rows: CallerScoped[Any] = model._default_manager.get_queryset()  # type: ignore[assignment]  # theirs
    rows = rows.visible_to(caller).filter(pk=Placeholder("pk"))
    rows = rows.select_related(*related) if related else rows
    return Prepared(rows.select_for_update(no_key=True, of=("self",)) if lock else rows)
