"""Import a file of the bank: write down what it says once, then match each entry by itself.

Safe to repeat: a file that is there already is not stored again, and what an earlier import left
unmatched is tried again.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.etree.ElementTree import Element

from django.db import transaction

from core.clock import running_on
from core.ids import new_id
from core.json import dump_json
from core.sweeping import sweep
from payouts.bank.camt import read_notifications, read_statements
from payouts.bank.matching import match_entry
from payouts.bank.pain002 import read_status_report
from payouts.bank.reports import Report, ReportItem, StatementPage
from payouts.bank.safe_xml import parse_xml
from payouts.errors import BankFileUnfit
from payouts.models import BankEntry, BankEntryState, BankFile, BankStatement
from payouts.models.bank import MAX_REASON
from payouts.models.payouts import MAX_BANK_REFERENCE

READERS: dict[str, Callable[[Element], Report]] = {
    "pain.002": read_status_report,
    "camt.053": read_statements,
    "camt.054": read_notifications,
}
Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """A file and whether it was there before; `known` counts entries that other files have."""

    file: BankFile
    repeated: bool
    known: int


@dataclass(frozen=True, kw_only=True)
class ImportResult:
    """What came of an import, in numbers of entries."""

    stored: StoredFile
    matched: int
    unmatched: int


def import_bank_file(
    *,
    content: bytes,
    livemode: bool,
    actor: str,
    now: datetime,
    progress: Progress | None = None,
) -> ImportResult:
    """Store a file and match its entries with payouts; call outside of a transaction.

    Raises BankFileUnreadable and BankFileUnfit; then nothing of the file is stored.
    """
    stored = store_bank_file(content=content, livemode=livemode, actor=actor, now=now)
    return match_bank_file(stored=stored, actor=actor, now=now, progress=progress)


@transaction.atomic
def store_bank_file(*, content: bytes, livemode: bool, actor: str, now: datetime) -> StoredFile:
    """Write down what a file says, once. Raises BankFileUnreadable, BankFileUnfit."""
    kind, document = parse_xml(content)
    report = READERS[kind](document)
    digest = hashlib.sha256(content).hexdigest()
    file, created = BankFile.objects.get_or_create(
        livemode=livemode,
        source=report.source,
        message_id=report.message_id,
        defaults={"content_hash": digest, "created_at": now, "created_by": actor},
    )
    if file.content_hash != digest:
        raise BankFileUnfit(MsgId="was in another file, with other contents")
    if created:
        _add_entries(file, report.items, None, now)
        for page in report.pages:
            _add_entries(file, page.items, _add_statement(file, page, now), now)
    items = len(report.items) + sum(len(page.items) for page in report.pages)
    return StoredFile(file=file, repeated=not created, known=items - file.entries.count())


def match_bank_file(
    *, stored: StoredFile, actor: str, now: datetime, progress: Progress | None = None
) -> ImportResult:
    """Match what is unmatched of a file; each entry is one business fact and commits by itself."""
    file = stored.file
    waiting = list(file.entries.unmatched().order_by("pk").values_list("pk", flat=True))
    numbers = dict(zip(waiting, range(1, len(waiting) + 1), strict=True))
    clock = running_on(now)

    def one(entry_id: str) -> bool:
        if progress:
            progress(numbers[entry_id], len(waiting))
        return match_entry(entry_id=entry_id, actor=actor, now=clock())

    matched = sweep("match bank entries", one, waiting)
    unmatched = file.entries.unmatched().count()
    return ImportResult(stored=stored, matched=matched, unmatched=unmatched)


def _add_statement(file: BankFile, page: StatementPage, now: datetime) -> BankStatement:
    """Store a statement once. Raises BankFileUnfit where its figures contradict each other."""
    signed = [
        -(item.amount or 0) if item.kind == "debit" else item.amount or 0 for item in page.items
    ]
    if any(item.currency != page.currency for item in page.items):
        raise BankFileUnfit(currency="of an entry is not that of the statement")
    figures = {
        "opening_amount": page.opening_amount,
        "closing_amount": page.closing_amount,
        "entries_amount": sum(signed),
    }
    opening, closing = page.opening_amount, page.closing_amount
    if opening is not None and closing not in (None, opening + sum(signed)):
        raise BankFileUnfit(statement="does not add up: opening and entries make no closing")
    statement, _ = BankStatement.objects.get_or_create(
        livemode=file.livemode,
        currency=page.currency,
        number=page.number,
        defaults={
            **figures,
            "file": file,
            "start_at": page.start_at,
            "end_at": page.end_at,
            "created_at": now,
        },
    )
    if any(getattr(statement, name) != figure for name, figure in figures.items()):
        raise BankFileUnfit(statement="was in another file, with other figures")
    return statement


def _add_entries(
    file: BankFile,
    items: Sequence[ReportItem],
    statement: BankStatement | None,
    now: datetime,
) -> None:
    rows = [_entry(file, item, statement, now) for item in items]
    if len({row.key for row in rows}) != len(rows):
        raise BankFileUnfit(reference="of the bank stands twice in the file")
    # Ordered, so that two files with the same entries do not wait for each other.
    rows.sort(key=lambda row: row.key)
    BankEntry.objects.bulk_create(rows, ignore_conflicts=True)


def _entry(
    file: BankFile, item: ReportItem, statement: BankStatement | None, now: datetime
) -> BankEntry:
    return BankEntry(
        id=new_id("ben", now),
        file=file,
        statement=statement,
        livemode=file.livemode,
        source=file.source,
        key=hashlib.sha256(dump_json(list(item.identity))).hexdigest(),
        kind=item.kind,
        amount=item.amount,
        currency=item.currency,
        end_to_end_id=item.end_to_end_id,
        message_reference=item.message_reference,
        bank_reference=item.bank_reference[:MAX_BANK_REFERENCE],
        code=item.code,
        message=item.message[:MAX_REASON],
        state=BankEntryState.UNMATCHED,
        problem="Not looked at yet.",
        created_at=now,
    )
