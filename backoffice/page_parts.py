"""The parts of a page about one object."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypedDict

from django.utils.html import strip_tags

from backoffice.roles import Right
from core.text import showable

FEW_COLUMNS = 4  # as many as fit into half of a page


@dataclass(frozen=True)
class Section:
    """Facts that belong together, each with its label.

    `right` is required to see it, if not all staff may.
    """

    title: str
    facts: Sequence[tuple[str, Any]]
    right: Right | None = None


@dataclass(frozen=True)
class Table:
    """A screenful of related rows at most; `more` is the URL of the whole list.

    `right` is required to see it, if not all staff may; `is_first`: above the timeline.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    more: str = ""
    right: Right | None = None
    is_first: bool = False

    @property
    def is_narrow(self) -> bool:
        """Whether it fits into half of a page."""
        return self.is_first or not self.rows or len(self.columns) <= FEW_COLUMNS

    @property
    def labelled_rows(self) -> list[list[tuple[str, Any]]]:
        """The rows, each cell with its heading as a text, which a phone shows above it."""
        labels = [strip_tags(column) for column in self.columns]
        return [list(zip(labels, row, strict=False)) for row in self.rows]


NOTE = "sticky_note_2"  # the kind of what staff have noted


@dataclass(frozen=True)
class TimelineEntry:
    """Something that happened to an object. `kind` is its icon, `tone` its colour.

    Empty details are left out. `right` is required to see it, if not all staff may.
    """

    at: datetime
    kind: str
    title: Any
    actor: str = ""
    address: str = ""
    details: Sequence[str] = field(default_factory=tuple)
    tone: str = "quiet"
    right: Right | None = None


class NextStep(TypedDict, total=False):
    """The page where to act first, and what its button says, or nothing."""

    next_step: str
    next_words: str


@dataclass(frozen=True)
class SupportAnswer:
    """What to tell the caller, in one or two plain sentences.

    `troubles` are problems beside it, shown after it in their own colour. `of_payouts` follow the
    words for those who may see payouts. `next_step` is the URL of the page where to act first, and
    `next_words` what its button says: until then, no action of this one is advised. `is_warning`:
    to rely on nothing of the page, nor to act on it.
    """

    words: Sequence[str]
    tone: str = "quiet"
    troubles: Sequence[str] = ()
    of_payouts: Sequence[str] = ()
    next_step: str = ""
    next_words: str = ""
    is_warning: bool = field(default=False, kw_only=True)


def facts(*pairs: tuple[str, Any]) -> list[tuple[str, Any]]:
    """Return the facts that are not empty, each value as `marked` returns it."""
    return [(label, marked(value)) for label, value in pairs if value not in (None, "", {}, [])]


def marked(value: Any) -> Any:
    """Return a plain text as `showable` does, and anything else, HTML included, unchanged.

    Banks pass on what strangers write on a transfer. Its control characters, such as those that
    reverse the direction of text, must not change how a page reads.
    """
    return showable(value) if type(value) is str else value
