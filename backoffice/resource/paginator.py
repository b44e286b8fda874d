"""Pages of a list, without counting a table of millions."""

from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.utils.functional import cached_property

COUNTED = 1_000

if TYPE_CHECKING:
    _Pages = Paginator[Any]
else:
    _Pages = Paginator  # generic in the stubs only


class CappedPaginator(_Pages):
    """Counts up to a thousand rows: to see more, staff narrow the list down."""

    template_name = "admin/backoffice/pagination.html"

    @cached_property
    def count(self) -> int:
        """How many rows there are, or one more than the pages reach."""
        return min(self._counted, COUNTED)

    @cached_property
    def has_more(self) -> bool:
        """Whether there are more rows than the pages reach."""
        return self._counted > COUNTED

    @cached_property
    def _counted(self) -> int:
        rows: Any = self.object_list
        return int(rows[: COUNTED + 1].count())
