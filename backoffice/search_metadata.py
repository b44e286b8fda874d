"""Find payments by the metadata that merchants attached to them."""

import json
import re

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from payments.models import Payment

_BARE = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,10})?|true|false")
# The index of PostgreSQL answers "any name"; SQLite looks at the newest rows that have metadata.
_ANY_ON_POSTGRESQL = "metadata @@ %s::jsonpath"
_ON_SQLITE = """
    SELECT newest.id FROM (
        SELECT id, metadata FROM payments_payment
        WHERE metadata <> '{}' ORDER BY id DESC LIMIT 20000
    ) AS newest, json_each(newest.metadata) AS pair
    WHERE CAST(pair.value AS TEXT) = %s AND (%s = '' OR pair.key = %s)
"""


def with_metadata(text: str, pair: tuple[str, str] | None) -> QuerySet[Payment]:
    """Return the payments that have the text as a value of any key, or exactly `pair`."""
    name, value = pair or ("", text)
    if connection.vendor == "postgresql":
        place, quoted = f"$.{json.dumps(name)}" if name else "$.*", json.dumps(value)
        # A number may be stored as a number or as a string.
        literals = [quoted, value] if _BARE.fullmatch(value) else [quoted]
        path = " || ".join(f"{place} == {literal}" for literal in literals)
        condition = RawSQL(f"({_ANY_ON_POSTGRESQL})", [path])  # noqa: S611  # a constant
        return Payment.objects.exclude(metadata={}).alias(found=condition).filter(found=True)
    wanted = RawSQL(_ON_SQLITE, [value, name, name])  # noqa: S611  # a constant
    return Payment.objects.filter(pk__in=wanted)
