"""Recognize entries that are already stored, and tell them from new ones that look the same.

Banks reuse references, some every day, some in every statement. An identical entry in another
statement is the same only if both cover the same time. Otherwise it is stored separately.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.json import dump_json
from payouts.bank.reports import ReportItem, StatementPage
from payouts.models import BankEntry, BankFile, BankStatement
from payouts.models.bank import MAX_REASON

KEYS_AT_ONCE = 1_000
_Words = tuple[str, ...]


@dataclass(frozen=True)
class Recognized:
    """The entries of a file that are already stored, and the new items by their future keys."""

    known: list[BankEntry]
    fresh: dict[str, ReportItem]


def recognize(
    file: BankFile, items: Sequence[ReportItem], page: StatementPage | None
) -> Recognized:
    """Separate what other files have already brought from what is new in a file or statement."""
    former = _known_by_former_key(file, items, page)
    if page is None:
        rest = [item for item in items if item.identity not in former]
        return Recognized([*former.values()], {entry_key(item.identity): item for item in rest})
    by_words = defaultdict[_Words, list[ReportItem]](list)
    for item in items:
        if item.identity not in former:
            by_words[item.identity[:-1]].append(item)
    known, fresh = list(former.values()), {}
    stored = _stored(file, {words: len(alike) for words, alike in by_words.items()})
    for words, alike in by_words.items():
        rows = stored[words]
        same = [row for row in rows if row.file_id != file.pk and is_of_same_time(row, page)]
        known += same[: len(alike)]
        for number, item in enumerate(alike[len(same) :], start=len(rows)):
            fresh[entry_key((*words, str(number)))] = item
    return Recognized(known, fresh)


def is_of_same_time(row: BankEntry, page: StatementPage | BankStatement | None) -> bool:
    """Return whether a stored entry and a statement cover the same time; true without either."""
    stored = row.statement
    if page is None or stored is None:
        return True
    if page.start_at == stored.start_at:
        names = _number_without_page(page), _number_without_page(stored)
        return page.number == stored.number or names[0] != names[1]
    if page.start_at < page.end_at and stored.start_at < stored.end_at:
        return page.start_at < stored.end_at and stored.start_at < page.end_at
    # Without a period, a statement covers the instant at which it was made.
    touches = page.start_at <= stored.end_at and stored.start_at <= page.end_at
    return touches or page.number == stored.number


def _number_without_page(statement: StatementPage | BankStatement) -> str:
    """Return the statement number without the page number, which the reader appended."""
    return re.sub(" p[0-9]+$", "", statement.number)


def _stored(file: BankFile, wanted: dict[_Words, int]) -> dict[_Words, list[BankEntry]]:
    """Return all stored entries with the same words, ordered by the numbers in their keys."""
    found = defaultdict[_Words, list[BankEntry]](list)
    while wanted:
        keys = {
            entry_key((*words, str(len(found[words]) + number))): words
            for words, count in wanted.items()
            for number in range(count)
        }
        rows = {row.key: row for row in with_keys(file, list(keys))}
        before = {words: len(found[words]) for words in wanted}
        for key, words in keys.items():
            if key in rows:
                found[words].append(rows[key])
        wanted = {
            words: count
            for words, count in wanted.items()
            if len(found[words]) == before[words] + count
        }
    return found


def _known_by_former_key(
    file: BankFile, items: Sequence[ReportItem], page: StatementPage | None
) -> dict[_Words, BankEntry]:
    """Return entries stored under keys of earlier releases, by their current identity.

    Those keys lacked text and booking date: compare the text; the date must not be after storing.
    """
    items = [item for item in items if item.former_identity]
    keys = [entry_key(item.former_identity) for item in items]
    found = {row.key: row for row in with_keys(file, keys)}
    known = {}
    for item, key in zip(items, keys, strict=True):
        row = found.get(key)
        if row is None or row.message != item.message[:MAX_REASON]:
            continue
        last = (row.created_at + timedelta(days=1)).date()  # a day starts earlier in the Far East
        if item.booking_date and item.booking_date > last:
            continue
        if is_of_same_time(row, page):
            known[item.identity] = found.pop(key)
    return known


def with_keys(file: BankFile, keys: Sequence[str]) -> Iterator[BankEntry]:
    """Yield the stored entries with these keys, from files of the same kind."""
    for start in range(0, len(keys), KEYS_AT_ONCE):
        yield from BankEntry.objects.filter(
            livemode=file.livemode, source=file.source, key__in=keys[start : start + KEYS_AT_ONCE]
        ).select_related("statement")


def entry_key(identity: Iterable[str]) -> str:
    """Return the key under which an entry is stored once."""
    return hashlib.sha256(dump_json(list(identity))).hexdigest()
