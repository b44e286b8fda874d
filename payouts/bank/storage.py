"""Store the contents of a bank file: each file, statement and entry once.

A statement with the same number and start but other contents amends the stored one if the bank
created it later. It supersedes the earlier one; both are kept.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from xml.etree.ElementTree import Element

from django.db import transaction

from core.ids import new_id
from payouts.bank.camt import read_notifications, read_statements
from payouts.bank.pain002 import read_status_report
from payouts.bank.recognition import Recognized, is_of_same_time, recognize, with_keys
from payouts.bank.reports import Report, ReportItem, StatementPage
from payouts.bank.safe_xml import parse_xml
from payouts.bank_lock import hold_bank_lock
from payouts.errors import BankFileUnfit
from payouts.models import BankEntry, BankEntryKind, BankEntryState, BankFile, BankStatement
from payouts.models.bank import MAX_REASON
from payouts.models.payouts import MAX_BANK_REFERENCE

READERS: dict[str, Callable[[Element], Report]] = {
    "pain.002": read_status_report,
    "camt.053": read_statements,
    "camt.054": read_notifications,
}
NOT_LOOKED_AT = "Not looked at yet."
# Clocks and time zones differ, and a bank may close a Friday's books with a Monday's date.
MAX_AHEAD = timedelta(days=3)
_AMOUNTS = ("opening_amount", "closing_amount", "entries_amount")


@dataclass(frozen=True, kw_only=True)
class ParsedBankFile:
    """What a file says, and the SHA-256 of its bytes."""

    report: Report
    content_hash: str


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """A file and whether it was stored before; `known` counts entries brought by other files.

    `set_aside` are waiting entries that its amended statements no longer contain.
    """

    file: BankFile
    repeated: bool
    known: int
    set_aside: tuple[BankEntry, ...] = ()


def parse_bank_file(content: bytes) -> ParsedBankFile:
    """Parse a file. Call outside a transaction. Raises BankFileUnreadable, BankFileUnfit."""
    kind, document = parse_xml(content)
    digest = hashlib.sha256(content).hexdigest()
    return ParsedBankFile(report=READERS[kind](document), content_hash=digest)


@transaction.atomic
def store_bank_file(
    *, parsed: ParsedBankFile, livemode: bool, actor: str, now: datetime
) -> StoredFile:
    """Store the contents of a file, once. Raises BankFileUnfit."""
    hold_bank_lock()
    report = parsed.report
    file, created = BankFile.objects.get_or_create(
        livemode=livemode,
        source=report.source,
        message_id=report.message_id,
        defaults={"content_hash": parsed.content_hash, "created_at": now, "created_by": actor},
    )
    if file.content_hash != parsed.content_hash:
        raise BankFileUnfit(MsgId="was in another file, with other contents")
    numbers = {(page.currency, page.number, page.start_at) for page in report.pages}
    if len(numbers) != len(report.pages):
        raise BankFileUnfit(statement="appears twice in the file")
    set_aside: list[BankEntry] = []
    if created:
        _add_entries(file, recognize(file, report.items, None), None, now)
        for page in report.pages:
            set_aside += _add_statement(file, page, actor, now)
    items = len(report.items) + sum(len(page.items) for page in report.pages)
    return StoredFile(
        file=file,
        repeated=not created,
        known=items - file.entries.count(),
        set_aside=tuple(set_aside),
    )


def _add_statement(
    file: BankFile, page: StatementPage, actor: str, now: datetime
) -> Sequence[BankEntry]:
    """Store a statement and its entries, once; return the entries that it sets aside.

    Raises BankFileUnfit if it cannot be right.
    """
    _refuse_future(page, now)
    figures = _figures(page)
    first, created = BankStatement.objects.get_or_create(
        livemode=file.livemode,
        currency=page.currency,
        number=page.number,
        start_at=page.start_at,
        amends=None,
        defaults=figures | {"file": file, "created_at": now},
    )
    versions = [] if created else _versions_of(first)
    entries = recognize(file, page.items, page)
    if created:
        _add_entries(file, entries, first, now)
        return ()
    present = versions[-1]
    left_out = _left_out(entries.known, versions)
    if not left_out and all(getattr(present, name) == figures[name] for name in _AMOUNTS):
        _add_entries(file, entries, present, now)
        return ()
    _refuse_older(present, page)
    amended = BankStatement.objects.create(
        livemode=file.livemode,
        currency=page.currency,
        number=page.number,
        start_at=page.start_at,
        amends=present,
        file=file,
        created_at=now,
        **figures,
    )
    set_aside = _set_aside(left_out, amended, actor, now)
    _add_entries(file, entries, amended, now)
    return set_aside


def _refuse_future(page: StatementPage, now: datetime) -> None:
    """Refuse a statement from the future: as the newest, it would supersede the genuine ones."""
    instants = [page.end_at, page.written_at or page.end_at]
    if max(instants) > now + MAX_AHEAD:
        raise BankFileUnfit(statement="is dated in the future")


def _figures(page: StatementPage) -> dict[str, Any]:
    """Return a statement's figures. Raises BankFileUnfit if they contradict its entries."""
    entries_amount = sum(_signed(item) for item in page.items)
    if any(item.currency != page.currency for item in page.items):
        raise BankFileUnfit(currency="of an entry is not that of the statement")
    opening, closing = page.opening_amount, page.closing_amount
    if opening is not None and closing not in (None, opening + entries_amount):
        words = "does not add up: opening balance and entries do not give the closing one"
        raise BankFileUnfit(statement=words)
    return {
        "end_at": page.end_at,
        "written_at": page.written_at,
        "opening_amount": opening,
        "closing_amount": closing,
        "entries_amount": entries_amount,
    }


def _versions_of(first: BankStatement) -> list[BankStatement]:
    """Return a statement, locked, and those that amended it, newest last."""
    versions = [BankStatement.objects.select_for_update().get(pk=first.pk)]
    while later := BankStatement.objects.filter(amends=versions[-1]).first():
        versions.append(later)
    return versions


def _left_out(known: Iterable[BankEntry], versions: list[BankStatement]) -> list[BankEntry]:
    """Return the stored entries of a statement that its new version no longer contains."""
    kept = {row.pk for row in known}
    stored = BankEntry.objects.filter(statement__in=versions).order_by("pk")
    return [row for row in stored if row.pk not in kept]


def _refuse_older(present: BankStatement, page: StatementPage) -> None:
    if not page.written_at or not present.written_at or page.written_at <= present.written_at:
        raise BankFileUnfit(statement="was in another file, with other figures, and is no newer")


def _set_aside(
    left_out: Sequence[BankEntry], amended: BankStatement, actor: str, now: datetime
) -> list[BankEntry]:
    """Set aside waiting entries that the bank removed from its statement; return them.

    Raises BankFileUnfit if one of them has been matched.
    """
    set_aside = []
    for row in left_out:
        entry = BankEntry.objects.locked(row.pk)
        if entry.state == BankEntryState.MATCHED:
            raise BankFileUnfit(statement=f"is amended without {entry.pk}, which is matched")
        if entry.is_waiting:
            entry.set_aside(note=f"Not in {amended.file.message_id} any more.", by=actor, at=now)
            set_aside.append(entry)
    return set_aside


def _add_entries(
    file: BankFile, entries: Recognized, statement: BankStatement | None, now: datetime
) -> None:
    # Sorted, so that two files with the same entries do not deadlock.
    rows = [_entry(file, entries.fresh[key], key, statement, now) for key in sorted(entries.fresh)]
    BankEntry.objects.bulk_create(rows, ignore_conflicts=True)
    if statement is not None:
        stored = list(with_keys(file, [row.key for row in rows]))
        if not all(is_of_same_time(row, statement) for row in stored):
            raise BankFileUnfit(
                statement="has entries that another file has just brought: import it again"
            )
        if sum(_signed(row) for row in [*entries.known, *stored]) != statement.entries_amount:
            raise BankFileUnfit(statement="has entries that others hide: its sum is not stored")


def _signed(entry: ReportItem | BankEntry) -> int:
    amount = cast("int", entry.amount)  # a statement's entry has one
    return -amount if entry.kind == BankEntryKind.DEBIT else amount


def _entry(
    file: BankFile, item: ReportItem, key: str, statement: BankStatement | None, now: datetime
) -> BankEntry:
    return BankEntry(
        id=new_id("ben", now),
        file=file,
        statement=statement,
        livemode=file.livemode,
        source=file.source,
        key=key,
        kind=item.kind,
        amount=item.amount,
        charge_amount=item.charge_amount,
        currency=item.currency,
        end_to_end_id=item.end_to_end_id,
        message_reference=item.message_reference,
        bank_reference=item.names.reference[:MAX_BANK_REFERENCE],
        entry_reference=item.names.entry_reference[:MAX_BANK_REFERENCE],
        uetr=item.names.uetr[:MAX_BANK_REFERENCE],
        transaction_id=item.names.transaction_id[:MAX_BANK_REFERENCE],
        booking_date=item.booking_date,
        code=item.code,
        message=item.message[:MAX_REASON],
        state=BankEntryState.UNMATCHED,
        problem=NOT_LOOKED_AT,
        created_at=now,
    )
