"""Import a file of the bank: write down what it says once, then match each entry by itself.

Safe to repeat: a file that is there already is not stored again. What an earlier import left
unmatched is tried again with each file: files come in any order, and one may explain another.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from xml.etree.ElementTree import Element

from django.db import transaction
from django.db.models import Q

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
from payouts.models import BankEntry, BankEntryKind, BankEntryState, BankFile, BankStatement
from payouts.models.bank import MAX_REASON
from payouts.models.payouts import MAX_BANK_REFERENCE

READERS: dict[str, Callable[[Element], Report]] = {
    "pain.002": read_status_report,
    "camt.053": read_statements,
    "camt.054": read_notifications,
}
KEYS_AT_ONCE = 1_000
MOST_TRIED_AGAIN = 1_000
NOT_LOOKED_AT = "Not looked at yet."
Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """A file and whether it was there before; `known` counts entries that other files have."""

    file: BankFile
    repeated: bool
    known: int


@dataclass(frozen=True, kw_only=True)
class ImportResult:
    """What came of an import, in numbers of entries; `matched_earlier` are those of other files."""

    stored: StoredFile
    matched: int
    unmatched: int
    matched_earlier: int


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
    numbers = {(page.currency, page.number) for page in report.pages}
    if len(numbers) != len(report.pages):
        raise BankFileUnfit(statement="stands twice in the file")
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
        if progress and entry_id in numbers:
            progress(numbers[entry_id], len(waiting))
        return match_entry(entry_id=entry_id, actor=actor, now=clock())

    matched = sweep("match bank entries", one, waiting)
    return ImportResult(
        stored=stored,
        matched=matched,
        unmatched=file.entries.unmatched().count(),
        matched_earlier=sweep("match earlier bank entries", one, _waiting_in_others(file)),
    )


def _waiting_in_others(file: BankFile) -> list[str]:
    """Return what waits in other files, the oldest first.

    Money that came in, and was looked at, is left to the person who looks at it now.
    """
    others = BankEntry.objects.unmatched().filter(livemode=file.livemode).exclude(file=file)
    others = others.exclude(~Q(problem=NOT_LOOKED_AT), kind=BankEntryKind.CREDIT)
    return list(others.order_by("created_at", "pk").values_list("pk", flat=True)[:MOST_TRIED_AGAIN])


def _add_statement(file: BankFile, page: StatementPage, now: datetime) -> BankStatement:
    """Store a statement once. Raises BankFileUnfit where its figures contradict each other."""
    entries_amount = sum(_signed(item) for item in page.items)
    if any(item.currency != page.currency for item in page.items):
        raise BankFileUnfit(currency="of an entry is not that of the statement")
    figures = {
        "opening_amount": page.opening_amount,
        "closing_amount": page.closing_amount,
        "entries_amount": entries_amount,
    }
    opening, closing = page.opening_amount, page.closing_amount
    if opening is not None and closing not in (None, opening + entries_amount):
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
    rows = {_key(item.identity): _entry(file, item, statement, now) for item in items}
    if len(rows) != len(items):
        raise BankFileUnfit(reference="of the bank stands twice in the file")
    known = _known_by_former_key(file, items)
    # Ordered, so that two files with the same entries do not wait for each other.
    fresh = [rows[key] for key in sorted(rows.keys() - known.keys())]
    BankEntry.objects.bulk_create(fresh, ignore_conflicts=True)
    if statement is not None:
        found = [*known.values(), *_with_keys(file, [row.key for row in fresh])]
        if sum(_signed(row) for row in found) != statement.entries_amount:
            raise BankFileUnfit(statement="has entries that others hide: its sum is not stored")


def _known_by_former_key(file: BankFile, items: Sequence[ReportItem]) -> dict[str, BankEntry]:
    """Return, by their keys now, the entries that were stored under the keys of earlier releases.

    Those had no text and no booking date: the text is compared, and the day is one before storing.
    """
    items = [item for item in items if item.former_identity]
    found = {row.key: row for row in _with_keys(file, [_key(it.former_identity) for it in items])}
    known = {}
    for item in items:
        row = found.get(_key(item.former_identity))
        if row is None or row.message != item.message[:MAX_REASON]:
            continue
        last = (row.created_at + timedelta(days=1)).date()  # a day begins earlier in the far east
        if item.booking_date is None or item.booking_date <= last:
            known[_key(item.identity)] = found.pop(row.key)
    return known


def _with_keys(file: BankFile, keys: Sequence[str]) -> Iterator[BankEntry]:
    for start in range(0, len(keys), KEYS_AT_ONCE):
        yield from BankEntry.objects.filter(
            livemode=file.livemode, source=file.source, key__in=keys[start : start + KEYS_AT_ONCE]
        )


def _key(identity: Iterable[str]) -> str:
    return hashlib.sha256(dump_json(list(identity))).hexdigest()


def _signed(entry: ReportItem | BankEntry) -> int:
    amount = entry.amount or 0
    return -amount if entry.kind == BankEntryKind.DEBIT else amount


def _entry(
    file: BankFile, item: ReportItem, statement: BankStatement | None, now: datetime
) -> BankEntry:
    return BankEntry(
        id=new_id("ben", now),
        file=file,
        statement=statement,
        livemode=file.livemode,
        source=file.source,
        key=_key(item.identity),
        kind=item.kind,
        amount=item.amount,
        currency=item.currency,
        end_to_end_id=item.end_to_end_id,
        message_reference=item.message_reference,
        bank_reference=item.bank_reference[:MAX_BANK_REFERENCE],
        booking_date=item.booking_date,
        code=item.code,
        message=item.message[:MAX_REASON],
        state=BankEntryState.UNMATCHED,
        problem=NOT_LOOKED_AT,
        created_at=now,
    )
