"""The contents of a bank file, whatever its kind and version; and how to read its elements."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.dateparse import parse_date, parse_datetime

from core.money import is_currency, minor_digits
from payouts.errors import BankFileUnreadable
from payouts.models import BankEntryKind, BankSource
from payouts.models.bank_files import MAX_REFERENCE

_WRITTEN = re.compile(r"([0-9]{1,18})(?:\.([0-9]{0,5}))?", re.ASCII)
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(Z|[+-][0-9]{2}:[0-9]{2}|)", re.ASCII)
_END_OF_DAY = re.compile(r"([0-9-]{10})T24:00:00(?:\.0+)?(Z|[+-][0-9]{2}:[0-9]{2}|)", re.ASCII)
_LARGEST = 10**17
# A day within Python's calendar at either end, so that it can be shown in any time zone.
_FIRST = datetime.min.replace(tzinfo=UTC) + timedelta(days=1)
_LAST = datetime.max.replace(tzinfo=UTC) - timedelta(days=1)
NOT_PROVIDED = "NOTPROVIDED"


@dataclass(frozen=True, kw_only=True)
class BankNames:
    """The references that banks give to the payment of an item.

    `reference` is the payment's own; other payments of the entry may share `entry_reference`.
    `uetr` and `transaction_id` travel with the money through all banks.
    """

    reference: str = ""
    entry_reference: str = ""
    uetr: str = ""
    transaction_id: str = ""


@dataclass(frozen=True, kw_only=True)
class ReportItem:
    """One item of a bank's report. `identity` is unique to it across all files.

    `former_identity` is the identity before booking date and text became part of it.
    `charge_amount` is the part of `amount`, in cents, that is the bank's own charge.
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
    """A statement, or a page of one: its opening and closing balances and its booked entries.

    `written_at` is when the bank created it, if the bank says so.
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
    """A bank file; `items` are those that are in no statement."""

    source: BankSource
    message_id: str
    items: Sequence[ReportItem] = ()
    pages: Sequence[StatementPage] = ()


def text_at(element: Element, *paths: str) -> str:
    """Return the first non-empty text at these paths."""
    for path in paths:
        found = (element.findtext(path) or "").strip()
        if found:
            return found
    return ""


def reference_at(element: Element, *paths: str) -> str:
    """Return a reference; empty if the bank says that there is none.

    Raises BankFileUnreadable above MAX_REFERENCE characters.
    """
    found = text_at(element, *paths)
    if len(found) > MAX_REFERENCE:
        raise BankFileUnreadable(
            **{paths[0].split("/")[-1]: f"has more than {MAX_REFERENCE} characters"}
        )
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
    """Return the first amount found, in cents, and its currency. Raises BankFileUnreadable."""
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
    """Return the first date or time found; without an offset, read in the staff's time zone."""
    text = text_at(element, *paths)
    if not text:
        return None
    try:
        parsed = _instant(text)
    except (ValueError, OverflowError):
        parsed = None
    if parsed is not None and parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=ZoneInfo(settings.STAFF_TIME_ZONE))
    if parsed is None or not _FIRST < parsed < _LAST:
        raise BankFileUnreadable(**{paths[0].split("/")[-1]: "is no date or time"})
    return parsed.astimezone(UTC)


def day_at(element: Element, *paths: str) -> date | None:
    """Return the first date found, as written. Raises BankFileUnreadable."""
    text = text_at(element, *paths)[:10]
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if text and day is None:
        raise BankFileUnreadable(**{paths[0].split("/")[-1]: "is no date or time"})
    return day


def _instant(text: str) -> datetime | None:
    """Parse an XML date, with or without an offset, or a date-time, including T24:00:00."""
    if day := _DAY.fullmatch(text):
        return parse_datetime(f"{day[1]}T00:00:00{day[2]}")
    if end := _END_OF_DAY.fullmatch(text):
        midnight = parse_datetime(f"{end[1]}T00:00:00{end[2]}")
        return midnight + timedelta(days=1) if midnight else None
    return parse_datetime(text)


def cents_of(text: str, currency: str) -> int | None:
    """Read a decimal as cents: 12.50 BSD is 1250. None if not an exact amount of the currency."""
    written = _WRITTEN.fullmatch(text.strip())
    if written is None or not is_currency(currency):
        return None
    units, fraction = written[1], (written[2] or "").rstrip("0")
    digits = minor_digits(currency)
    if len(fraction) > digits:
        return None
    amount = int(units) * 10**digits + int(fraction.ljust(digits, "0") or 0)
    return amount if amount < _LARGEST else None
