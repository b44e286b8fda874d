"""Pages of a list, without counting a table of millions of rows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import Sum
from django.utils.functional import cached_property

COUNTED = 1_000
NEWEST_FIRST = "-pk"

if TYPE_CHECKING:
    _Pages = Paginator[Any]
else:
    _Pages = Paginator  # generic in the stubs only


class CappedPaginator(_Pages):
    """Counts up to a thousand rows. To see more, staff narrow the list down.

    `order` sorts as the list does, but by the columns of an index, if one serves it. `parts` are
    look-ups that divide the rows, if that index sorts by them first: each part is read by itself.
    """

    template_name = "admin/backoffice/page_numbers.html"

    def __init__(
        self,
        rows: Any,
        per_page: int,
        *others: Any,
        order: Sequence[str] = (),
        parts: Sequence[Mapping[str, Any]] = ({},),
    ) -> None:
        super().__init__(rows, per_page, *others)
        self._order, self._parts = order, parts

    @cached_property
    def count(self) -> int:
        """The number of rows, up to the most that the pages reach."""
        return min(len(self._keys), COUNTED)

    @cached_property
    def has_more(self) -> bool:
        """Whether there are more rows than the pages reach."""
        return len(self._keys) > COUNTED

    def rows_of(self, number: int) -> Any:
        """Return the rows of a page, by their keys if all of them are known.

        PostgreSQL may overestimate how many rows match, and scan the newest of the whole table for
        them. With their keys it cannot. If there are more rows than are counted, only the keys of
        this page are read, in the order of the index: sorting the rows themselves would read all
        rows of the merchant, or all newer rows of other merchants.
        """
        page = slice((number - 1) * self.per_page, number * self.per_page)
        rows: Any = self.object_list
        if self.has_more and len(self._parts) == 1:
            return rows.filter(pk__in=self._in_order(rows).values("pk")[page])
        keys = self._first_keys(page.stop) if self.has_more else self._keys
        if rows.query.order_by[:1] != (NEWEST_FIRST,):
            return rows.filter(pk__in=keys)[page]
        return rows.filter(pk__in=sorted(keys, reverse=True)[page])

    def sums_of(self, name: str) -> list[tuple[str, int]]:
        """Return the totals of an amount by currency; none if the pages do not reach all rows."""
        if not name or self.has_more or not self._keys:
            return []
        listed: Any = self.object_list
        currency = "currency" if hasattr(listed.model, "currency") else "transfer__currency"
        rows = listed.model._default_manager.filter(pk__in=self._keys)
        sums = rows.order_by(currency).values_list(currency).annotate(total=Sum(name))
        return [(code, int(total)) for code, total in sums if total is not None]

    def _in_order(self, rows: Any) -> Any:
        return rows.order_by(*self._order) if self._order else rows

    def _first_keys(self, count: int) -> list[Any]:
        """The keys of the first `count` rows of each part, among which are those of the list."""
        rows: Any = self.object_list
        parts = (self._in_order(rows.filter(**part)) for part in self._parts)
        return [key for part in parts for key in part.values_list("pk", flat=True)[:count]]

    @cached_property
    def _keys(self) -> list[Any]:
        """The keys of up to a thousand rows and one; unordered, for the reason in `rows_of`."""
        rows: Any = self.object_list
        return list(rows.order_by().values_list("pk", flat=True)[: COUNTED + 1])
