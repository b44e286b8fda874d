"""Columns: what a list shows, and what its export writes, from one definition."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from backoffice import formats
from core.money import decimal_text


@dataclass(frozen=True)
class Column:
    """A column of a list. Django calls it with a row; `cells` is what an export writes of it."""

    title: str
    show: Callable[[Any], Any]
    plain: Callable[[Any], Any] | None = None

    @property
    def short_description(self) -> str:
        return self.title

    @property
    def __name__(self) -> str:
        return self.title.lower().replace(" ", "_")

    def __call__(self, row: Any) -> Any:
        return self.show(row)

    def titles(self) -> tuple[str, ...]:
        """Return the headings of this column in an export."""
        return (self.title,)

    def cells(self, row: Any) -> tuple[Any, ...]:
        """Return what an export writes for a row."""
        return ((self.plain or self.show)(row),)


@dataclass(frozen=True)
class MoneyColumn(Column):
    """An amount: one cell on the screen; in units, in cents and with its currency in an export."""

    def titles(self) -> tuple[str, ...]:
        return (self.title, f"{self.title} in cents", f"{self.title} currency")

    def cells(self, row: Any) -> tuple[Any, ...]:
        amount, currency = (self.plain or self.show)(row)
        if amount is None:
            return ("", "", currency)
        return (decimal_text(amount, currency), amount, currency)


def amount_column(title: str, name: str = "amount", currency: str = "currency") -> MoneyColumn:
    """Return the column of an amount that the row holds beside its currency."""
    return MoneyColumn(
        title,
        show=lambda row: formats.whole(formats.money(getattr(row, name), getattr(row, currency))),
        plain=lambda row: (getattr(row, name), getattr(row, currency)),
    )


def instant_column(title: str, name: str) -> Column:
    """Return the column of an instant, in the time zone of staff."""
    return Column(
        title,
        show=lambda row: formats.whole(formats.moment(getattr(row, name))),
        plain=lambda row: _local(getattr(row, name)),
    )


def status_column(title: str = "Status", name: str = "status") -> Column:
    """Return the column of a status."""
    return Column(
        title,
        show=lambda row: formats.badge(getattr(row, name)),
        plain=lambda row: getattr(row, name),
    )


def text_column(title: str, name: str) -> Column:
    """Return the column of a text that the row holds."""
    return Column(
        title, show=lambda row: getattr(row, name) or "—", plain=lambda row: getattr(row, name)
    )


def id_column(title: str = "Id") -> Column:
    """Return the column of the public id."""
    return Column(title, show=lambda row: formats.short_code(row.pk), plain=lambda row: row.pk)


MODE = Column(
    "Mode",
    show=lambda row: formats.mode(row.livemode),
    plain=lambda row: "live" if row.livemode else "test",
)
MERCHANT = Column("Merchant", show=lambda row: row.merchant.name)


def _local(instant: datetime | None) -> str:
    return timezone.localtime(instant).isoformat(sep=" ", timespec="seconds") if instant else ""
