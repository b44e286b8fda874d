"""What a file of the bank says, whichever kind and version it is of; and reading its elements."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.dateparse import parse_date, parse_datetime

from core.money import is_currency, minor_digits
from payouts.errors import BankFileUnreadable
from payouts.models import BankEntryKind, BankSource

MAX_REFERENCE = 35
_WRITTEN = re.compile(r"([0-9]{1,18})(?:\.([0-9]{0,5}))?", re.ASCII)
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(Z|[+-][0-9]{2}:[0-9]{2}|)", re.ASCII)
_END_OF_DAY = re.compile(r"([0-9-]{10})T24:00:00(?:\.0+)?(Z|[+-][0-9]{2}:[0-9]{2}|)", re.ASCII)
_LARGEST = 10**17
NOT_PROVIDED = "NOTPROVIDED"


@dataclass(frozen=True, kw_only=True)
class BankNames:
    """What banks call the money of an item.

    `reference` is the name of it alone. That of the whole entry may be shared by other payments in
    it. `uetr` and `transaction_id` go with the money through all banks.
    """

    reference: str = ""
    entry_reference: str = ""
    uetr: str = ""
    transaction_id: str = ""


@dataclass(frozen=True, kw_only=True)
class ReportItem:
    """One thing that the bank reports. `identity` tells it apart from any other, in any file.

    `former_identity` is how it was told apart before booking date and text were part of it.
    `charge_amount` is what of `amount` is the bank's own charge.
    """

    identity: tuple[str, ...]
    former_identity: tuple[str, ...] = ()
    kind: BankEntryKind
    amount: int | None = None
    charge_amount: int = 0
    currency: str = ""
    end_to_end_id: str = ""
    message_reference: str = ""
    names: BankNames = BankNames()
    code: str = ""
    message: str = ""
    booking_date: date | None = None


@dataclass(frozen=True, kw_only=True)
class StatementPage:
    """A statement, or a page of one: what it opens and closes with, and its booked entries.

    `written_at` is when the bank made it, where the bank says so.
    """

    number: str
    currency: str
    start_at: datetime
    end_at: datetime
    written_at: datetime | None
    opening_amount: int | None
    closing_amount: int | None
    items: Sequence[ReportItem]


@dataclass(frozen=True, kw_only=True)
class Report:
    """A file: `items` are those outside of any statement."""

    source: BankSource
    message_id: str
    items: Sequence[ReportItem] = field(default=())
    pages: Sequence[StatementPage] = field(default=())


def text_at(element: Element, *paths: str) -> str:
    """Return the text of the first path that has one."""
    for path in paths:
        found = (element.findtext(path) or "").strip()
        if found:
            return found
    return ""


def reference_at(element: Element, *paths: str) -> str:
    """Return a reference of at most 35 characters; empty where the bank says that it has none."""
    found = text_at(element, *paths)
    if len(found) > MAX_REFERENCE:
        raise BankFileUnreadable(**{paths[0].split("/")[-1]: "has more than 35 characters"})
    return "" if found == NOT_PROVIDED else found


def required_reference(element: Element, path: str) -> str:
    """Return a reference that every file of this kind has. Raises BankFileUnreadable."""
    found = reference_at(element, path)
    if not found:
        raise BankFileUnreadable(**{path.split("/")[-1]: "is missing"})
    return found


def required(element: Element, path: str) -> Element:
    """Return an element that every file of this kind has. Raises BankFileUnreadable."""
    found = element.find(path)
    if found is None:
        raise BankFileUnreadable(**{path.split("/")[-1]: "is missing"})
    return found


def amount_at(element: Element, *paths: str) -> tuple[int, str] | None:
    """Return the first amount there is, in cents, and its currency. Raises BankFileUnreadable."""
    for path in paths:
        found = element.find(path)
        if found is not None:
            currency = found.get("Ccy", "")
            amount = cents_of(found.text or "", currency)
            if amount is None:
                raise BankFileUnreadable(Amt="is no exact amount of a currency")
            return amount, currency
    return None


def instant_at(element: Element, *paths: str) -> datetime | None:
    """Return the first date or time there is; without an offset it is of the staff's time zone."""
    text = text_at(element, *paths)
    if not text:
        return None
    try:
        parsed = _instant(text)
    except (ValueError, OverflowError):
        parsed = None
    if parsed is None:
        raise BankFileUnreadable(**{paths[0].split("/")[-1]: "is no date or time"})
    here = parsed if parsed.tzinfo else parsed.replace(tzinfo=ZoneInfo(settings.STAFF_TIME_ZONE))
    try:
        return here.astimezone(UTC)
    except OverflowError as error:  # a day at either end of the calendar
        raise BankFileUnreadable(**{paths[0].split("/")[-1]: "is no date or time"}) from error


def day_at(element: Element, *paths: str) -> date | None:
    """Return the first day there is, as it is written. Raises BankFileUnreadable."""
    text = text_at(element, *paths)[:10]
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if text and day is None:
        raise BankFileUnreadable(**{paths[0].split("/")[-1]: "is no date or time"})
    return day


def _instant(text: str) -> datetime | None:
    """Read what XML may write: a day, also with an offset, or a time, also the hour 24 of a day."""
    if day := _DAY.fullmatch(text):
        return parse_datetime(f"{day[1]}T00:00:00{day[2]}")
    if end := _END_OF_DAY.fullmatch(text):
        midnight = parse_datetime(f"{end[1]}T00:00:00{end[2]}")
        return midnight + timedelta(days=1) if midnight else None
    return parse_datetime(text)


def cents_of(text: str, currency: str) -> int | None:
    """Read units as cents: 12.50 BSD is 1250. None for what is no exact amount of the currency."""
    written = _WRITTEN.fullmatch(text.strip())
    if written is None or not is_currency(currency):
        return None
    units, fraction = written[1], (written[2] or "").rstrip("0")
    digits = minor_digits(currency)
    if len(fraction) > digits:
        return None
    amount = int(units) * 10**digits + int(fraction.ljust(digits, "0") or 0)
    return amount if amount < _LARGEST else None
