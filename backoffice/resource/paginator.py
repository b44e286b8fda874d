"""Pages of a list, without counting a table of millions of rows."""

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
    """Counts up to a thousand rows. To see more, staff narrow the list down."""

    template_name = "admin/backoffice/pagination.html"

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
        them. With the keys it cannot. Of more rows, an index has the keys of the page: those of a
        merchant lie apart, and sorted as rows each would be read.
        """
        page = slice((number - 1) * self.per_page, number * self.per_page)
        rows: Any = self.object_list
        if self.has_more:
            return rows.filter(pk__in=rows.values("pk")[page])
        if rows.query.order_by[:1] != (NEWEST_FIRST,):
            return rows.filter(pk__in=self._keys)[page]
        return rows.filter(pk__in=sorted(self._keys, reverse=True)[page])

    def sums_of(self, name: str) -> list[tuple[str, int]]:
        """Return the totals of an amount by currency; none if the pages do not reach all rows."""
        if not name or self.has_more or not self._keys:
            return []
        listed: Any = self.object_list
        currency = "currency" if hasattr(listed.model, "currency") else "transfer__currency"
        rows = listed.model._default_manager.filter(pk__in=self._keys)
        sums = rows.order_by(currency).values_list(currency).annotate(total=Sum(name))
        return [(code, int(total)) for code, total in sums if total is not None]

    @cached_property
    def _keys(self) -> list[Any]:
        """The keys of up to a thousand rows and one; unordered, for the reason in `rows_of`."""
        rows: Any = self.object_list
        return list(rows.order_by().values_list("pk", flat=True)[: COUNTED + 1])
