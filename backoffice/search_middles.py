"""Find payments by parts of words in their texts, such as the middle of one.

No index serves that, so only the newest payments are read, or those of a day.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

from django.db.models import QuerySet

from backoffice.resource.days import within
from core.search import HasWords
from payments.models import Payment

NEWEST = 20_000
SHORTEST = 3  # two letters stand within a word of nearly every payment


def with_words_within(words: Iterable[str], day: date | None) -> QuerySet[Payment]:
    """Return the payments with each of the words, among the newest `NEWEST`, of a day if given."""
    rows: Any = Payment.objects.order_by("-pk")
    if day is not None:
        rows = within(rows, day, day + timedelta(days=1))
    if oldest := rows.values_list("pk", flat=True)[NEWEST - 1 : NEWEST].first():
        rows = rows.filter(pk__gte=oldest)
    found: QuerySet[Payment] = rows.filter(HasWords(words, *rows.searched))
    return found
