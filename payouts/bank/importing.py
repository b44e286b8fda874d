"""Import a bank file: store its contents once, then match each entry on its own.

Safe to repeat: a file that is already stored is not stored again. Each import also retries the
entries left unmatched by earlier ones: files arrive in any order, and one may explain another.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Q, QuerySet, When

from core.clock import clock_from
from core.sweeping import keys_by_page, sweep
from payouts.bank.matching import match_entry
from payouts.bank.storage import NOT_LOOKED_AT, StoredFile, parse_bank_file, store_bank_file
from payouts.bank_words import WordsOfOrders
from payouts.models import (
    CAME_IN,
    BankEntry,
    BankEntryKind,
    BankFile,
    PayoutBatch,
    PayoutOrder,
)
from payouts.order_references import ORDER_PREFIX

Progress = Callable[[int, int], None]
# A return may be of either of two debits: both have to be looked at before it.
_INCOMING_LAST = Case(When(kind__in=CAME_IN, then=1), default=0)


@dataclass(frozen=True, kw_only=True)
class ImportResult:
    """The result of an import, in numbers of entries; `matched_earlier` counts other files'."""

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
    """Store a file and match its entries with payouts. Call outside a transaction.

    Raises BankFileUnreadable and BankFileUnfit; nothing of the file is stored then.
    """
    parsed = parse_bank_file(content)
    stored = store_bank_file(parsed=parsed, livemode=livemode, actor=actor, now=now)
    return match_bank_file(stored=stored, actor=actor, now=now, progress=progress)


def match_bank_file(
    *, stored: StoredFile, actor: str, now: datetime, progress: Progress | None = None
) -> ImportResult:
    """Match the unmatched entries of a file; each entry is one business fact and commits alone.

    What has left comes before what came back, however the bank sorts its statements.
    """
    file = stored.file
    entries = file.entries.unmatched().order_by(_INCOMING_LAST, "key")
    waiting = list(entries.values_list("pk", flat=True))
    numbers = dict(zip(waiting, range(1, len(waiting) + 1), strict=True))
    clock, words = clock_from(now), WordsOfOrders()

    def one(entry_id: str) -> bool:
        if progress and entry_id in numbers:
            progress(numbers[entry_id], len(waiting))
        return match_entry(entry_id=entry_id, words=words, actor=actor, now=clock())

    matched = sweep("match bank entries", one, waiting)
    others = keys_by_page(_waiting_in_others(file))
    return ImportResult(
        stored=stored,
        matched=matched,
        unmatched=file.entries.unmatched().count(),
        matched_earlier=sweep("match earlier bank entries", one, others),
    )


def _waiting_in_others(file: BankFile) -> QuerySet[BankEntry]:
    """Return waiting entries of other files that may match by now: those naming an order or batch.

    Incoming money that was already looked at is left to the person who handles it.
    """
    others = BankEntry.objects.unmatched().filter(livemode=file.livemode).exclude(file=file)
    batches = PayoutBatch.objects.exclude(message_id="")
    of_ours = (
        Q(end_to_end_id__startswith=ORDER_PREFIX)
        | Q(end_to_end_id__in=PayoutOrder.objects.values("end_to_end_id"))
        | Q(message_reference__in=batches.values("message_id"))
    )
    not_looked_at = Q(problem=NOT_LOOKED_AT)
    return others.filter(not_looked_at | of_ours & ~Q(kind=BankEntryKind.CREDIT))
