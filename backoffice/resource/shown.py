"""Fields, declared once for lists, exports, pages and the tables on other pages."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar

from django.db.models import Model
from django.utils.html import format_html

from backoffice import formats
from backoffice.page_parts import Section, facts, marked
from backoffice.resource.page_urls import page_to_open
from core.clock import request_now
from core.money import decimal_text

Source = str | Callable[[Any], Any]


@dataclass(frozen=True)
class Field:
    """A fact about a row, read from `source`: a path such as "merchant.name", or a function.

    Django calls the field with a row for a list. `cell` renders it in any other table, `fact` on
    the row's own page, which leaves out empty facts. `most` is the maximum number of characters in
    a table; `unbroken` keeps it on one line there. `is_figure`: a table aligns it to the right.
    """

    is_figure: ClassVar[bool] = False

    title: str
    source: Source
    most: int = 0
    unbroken: bool = False

    @property
    def short_description(self) -> str:
        return self.title

    @property
    def name(self) -> str:
        """The name of the column in the URL of a list."""
        return self.title.lower().replace(" ", "_")

    @property
    def __name__(self) -> str:
        """The name from which Django makes the classes of a column; figures have one more."""
        return f"{self.name} bo-figures" if self.is_figure else self.name

    def __call__(self, row: Any) -> Any:
        return formats.whole(self.cell(row)) if self.unbroken else self.cell(row)

    def value(self, row: Any) -> Any:
        """Return the row's value, as `marked` does; None if a part of the path is missing."""
        if not isinstance(self.source, str):
            return marked(self.source(row))
        for name in self.source.split("."):
            row = getattr(row, name, None)
            row = row() if callable(row) else row
        return marked(row)

    def cell(self, row: Any) -> Any:
        value = self.value(row)
        if value is None or value == "":
            return formats.EMPTY
        if self.most:
            return formats.long_text(str(value), self.most)
        return formats.day_text(value)

    def fact(self, row: Any) -> Any:
        return formats.day_text(self.value(row))

    def titles(self) -> tuple[str, ...]:
        """Return the headings of this field in an export."""
        return (self.title,)

    def exported(self, row: Any) -> tuple[Any, ...]:
        """Return the cells of this field in an export."""
        return (self.value(row),)


@dataclass(frozen=True)
class Amount(Field):
    """An amount: one cell on the screen, two columns (units and smallest units) in an export.

    `shown` decides for which rows the screen shows it; an export contains every amount that exists.
    `currency` is a path like `source`; `currency_above` is the currency of all rows, if the heading
    states it.
    """

    is_figure = True
    currency: str = "currency"
    shown: Callable[[Any], Any] = lambda row: True
    currency_above: str = ""

    @property
    def short_description(self) -> str:
        return f"{self.title}, {self.currency_above}" if self.currency_above else self.title

    def cell(self, row: Any) -> Any:
        return formats.money(self.value(row), self.currency_of(row))

    def __call__(self, row: Any) -> Any:
        if not self.shown(row) or self.value(row) is None:
            return formats.amount(formats.EMPTY)
        if self.currency_above:
            return formats.bare_amount(self.value(row), self.currency_above)
        currency = self.currency_of(row)
        return formats.amount(f"{formats.figures(self.value(row), currency)} {currency}")

    def fact(self, row: Any) -> Any:
        amount = self.value(row) if self.shown(row) else None
        return "" if amount is None else formats.money(amount, self.currency_of(row))

    def titles(self) -> tuple[str, ...]:
        return (self.title, f"{self.title} in smallest units")

    def exported(self, row: Any) -> tuple[Any, ...]:
        amount = self.value(row)
        if amount is None:
            return (None, None)
        return (Decimal(decimal_text(amount, self.currency_of(row))), amount)

    def currency_of(self, row: Any) -> str:
        return str(Field("Currency", self.currency).value(row))


def with_currency_above(fields: Sequence[Field], rows: Iterable[Any]) -> list[Field]:
    """Return the fields of a table, with the currency in the headings if all rows have the same."""
    amounts = [field for field in fields if isinstance(field, Amount)]
    found = {amount.currency_of(row) for row in rows for amount in amounts}
    if len(found) != 1:
        return list(fields)
    [code] = found
    return [
        replace(each, currency_above=code) if isinstance(each, Amount) else each for each in fields
    ]


class AsOnPage(Field):
    """A field that a table renders as the row's own page does."""

    def cell(self, row: Any) -> Any:
        return self.fact(row) or formats.EMPTY


@dataclass(frozen=True)
class Figure(AsOnPage):
    """A number of things, or a percentage as text: a table aligns it like an amount."""

    is_figure = True

    def __call__(self, row: Any) -> Any:
        return formats.amount(self.cell(row))

    def fact(self, row: Any) -> Any:
        value = self.value(row)
        return f"{value:,}" if isinstance(value, int) else value or ""

    def exported(self, row: Any) -> tuple[Any, ...]:
        value = self.value(row)
        return (value.replace("\u00a0", " ") if isinstance(value, str) else value,)


@dataclass(frozen=True)
class Instant(Field):
    """An instant in the time zone of staff: to the minute in a table, to the second on a page.

    `empty` is what a page says if there is none.
    """

    empty: str = ""

    def cell(self, row: Any) -> Any:
        return formats.short_moment(self.value(row), request_now())

    def fact(self, row: Any) -> Any:
        return formats.moment(self.value(row)) if self.value(row) else self.empty


@dataclass(frozen=True)
class Badge(AsOnPage):
    """A status, with its own label if it has one."""

    def fact(self, row: Any) -> Any:
        value = self.value(row)
        return formats.badge(value, self.words(row)) if value else ""

    def exported(self, row: Any) -> tuple[Any, ...]:
        return (self.words(row),)

    def words(self, row: Any) -> str:
        value = self.value(row) or ""
        return getattr(value, "label", "").lower() or str(value).replace("_", " ")


@dataclass(frozen=True)
class Code(AsOnPage):
    """A text that is read letter by letter, in a monospaced font."""

    def fact(self, row: Any) -> Any:
        value = self.value(row)
        return formats.code(value) if value else ""


@dataclass(frozen=True)
class Id(Code):
    """The public id of the row: abbreviated in a list, whole on its page."""

    source: Source = "pk"

    def cell(self, row: Any) -> Any:
        return formats.short_code(self.value(row))


@dataclass(frozen=True)
class Reference(Code):
    """The public id of another row, linked to its page if the reader may open it."""

    def cell(self, row: Any) -> Any:
        value = self.value(row)
        return linked(value, formats.short_code(value)) if value else formats.EMPTY

    def fact(self, row: Any) -> Any:
        value = self.value(row)
        return linked(value, formats.code(value)) if value else ""


@dataclass(frozen=True)
class RowLink(Field):
    """A text about another row, given by `to` as the row or its id.

    On a page it links there, if the reader may open that.
    """

    to: str = ""

    def fact(self, row: Any) -> Any:
        value, target = self.value(row), Field("", self.to).value(row)
        return formats.link(value, page_to_open(target)) if target else value


@dataclass(frozen=True)
class Actor(Field):
    """Who did something: a key, a customer, staff, or the service itself; a list names no key."""

    def value(self, row: Any) -> Any:
        actor = super().value(row)
        return actor_words(actor) if actor else ""

    def cell(self, row: Any) -> Any:
        return self.value(row).partition(", with key")[0] or formats.EMPTY

    def fact(self, row: Any) -> Any:
        return linked_actor(super().value(row) or "")


def actor_words(actor: str) -> str:
    """Return who did something, in words."""
    kind, _, name = actor.partition(":")
    words = {
        "key": f"the shop, with key {name[:12]}…",
        "customer": "the customer",
        "visitor": "someone not signed in",
        "staff": f"{name} (staff)",
        "system": "the service",
        "development": "development mode",
    }
    return words.get(kind, actor)


def linked_actor(actor: str) -> Any:
    """Return who did something, in words; an API key is linked if the reader may open its page."""
    words, (kind, _, name) = actor_words(actor), actor.partition(":")
    return formats.link(words, page_to_open(name)) if kind == "key" else words


def linked(public_id: str, text: Any = "") -> Any:
    """Render a public id as a link to its page, if it has one that the reader may open."""
    return formats.link(text or formats.code(public_id), page_to_open(public_id))


def with_link(words: str, row: Model) -> str:
    """Return a sentence about another row, with a link if the reader may open its page."""
    url = page_to_open(row)
    return format_html('{} <a href="{}">Open</a>', words, url) if url else words


class Fieldset:
    """A title, and the fields below it in this order."""

    def __init__(self, title: str, *fields: Field) -> None:
        self.title, self.fields = title, fields

    def section(self, row: Any) -> Section:
        """Return the facts about a row, without empty ones."""
        pairs = ((field.title, field.fact(row)) for field in self.fields)
        return Section(self.title, facts(*pairs))
