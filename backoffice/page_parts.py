"""The parts that a page about one object is made of."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from backoffice.roles import Right


@dataclass(frozen=True)
class Section:
    """Facts that belong together: each a name, and what there is to say."""

    title: str
    facts: Sequence[tuple[str, Any]]


@dataclass(frozen=True)
class Table:
    """Related rows, not more than a screen of them; `more` is the address of the whole list.

    `right` is what it takes to see them, where not all staff may; `is_first`: before what happened.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    more: str = ""
    right: Right | None = None
    is_first: bool = False


NOTE = "sticky_note_2"  # the kind of what staff have noted


@dataclass(frozen=True)
class TimelineEntry:
    """Something that happened to an object. `kind` names its icon, `tone` its colour.

    Of the details, what is empty is left out.
    """

    at: datetime
    kind: str
    title: Any
    actor: str = ""
    address: str = ""
    details: Sequence[str] = field(default_factory=tuple)
    tone: str = "quiet"


@dataclass(frozen=True)
class SupportAnswer:
    """What to tell the caller, in one or two plain sentences.

    `troubles` are what is wrong beside it: said after it, in their own colour.
    """

    words: Sequence[str]
    tone: str = "quiet"
    troubles: Sequence[str] = ()


def facts(*pairs: tuple[str, Any]) -> list[tuple[str, Any]]:
    """Return the facts that have something to say."""
    return [(label, value) for label, value in pairs if value not in (None, "", {}, [])]
