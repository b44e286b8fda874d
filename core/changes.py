"""Which of the requested changes change anything."""

from collections.abc import Mapping
from typing import Any

import orjson
from django.db.models import Model


def real_changes(row: Model, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes, by column, to a value other than the row has.

    Within JSON, `1`, `1.0` and `true` differ; the order of an object's keys makes no difference.
    """
    return {name: value for name, value in changes.items() if not _same(getattr(row, name), value)}


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, dict | list):
        return _as_json(old) == _as_json(new)
    return bool(old == new)


def _as_json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
