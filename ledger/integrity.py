"""Prove the ledger from its own rows, and all that other rooms prove about it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Exists, Max, OuterRef
from django.utils.module_loading import import_string

from core.currencies import EXPONENTS, WITHDRAWN
from core.hash_chain import FIRST_HASH, Row, breaks
from ledger.balance_checks import check_balances
from ledger.chain import SEALED_FIELDS, seal_hash
from ledger.log_checks import check_log
from ledger.models import Account, Seal, Transfer, UnsealedTransfer
from ledger.reconciliation import CHUNK, keys_of
from ledger.schema_evidence import check_schema
from ledger.signed_row_checks import check_signed_rows, signed_models
from ledger.snapshot import snapshot
from ledger.triggers import check_triggers
from ledger.witnesses import check_witnesses

Progress = Callable[[int, int], None]
Check = Callable[[], Iterable[str]]


@dataclass(frozen=True, kw_only=True)
class Anchor:
    """A seal that was noted outside the database, so that a recomputed chain cannot pass."""

    sequence: int
    hash: str


@dataclass(frozen=True, kw_only=True)
class Figures:
    """How much there is to prove, and the current head of the chain."""

    accounts: int
    transfers: int
    waiting: int
    sequence: int
    hash: str


def figures() -> Figures:
    """Count what the ledger holds."""
    head = Seal.objects.order_by("-sequence").first()
    return Figures(
        accounts=Account.objects.count(),
        transfers=Transfer.objects.count(),
        waiting=UnsealedTransfer.objects.count(),
        sequence=head.sequence if head else 0,
        hash=head.hash if head else FIRST_HASH,
    )


def verify(*, progress: Progress, anchor: Anchor | None = None, since: int = 0) -> Iterator[str]:
    """Yield a sentence for each row that is wrong.

    Of signed rows and of the log, only what came after its first `since` leaves is read.

    LEDGER_CHECKS names more checks: functions that take nothing and yield sentences, too. Each
    check sees one instant, and no longer than it lasts: while a snapshot is held, PostgreSQL keeps
    every row that is sealed and counted meanwhile, and readers of a balance step over each.
    """
    yield from check_triggers()
    yield from check_chain(progress)
    if anchor:
        yield from check_anchor(anchor)
    more: list[Check] = [import_string(name) for name in settings.LEDGER_CHECKS]
    for check in (check_transfers, check_exponents, check_balances, *more):
        with snapshot():
            yield from check()
    for model in signed_models():
        with snapshot():
            yield from check_signed_rows(model, since=since)
    yield from check_schema()
    yield from check_log(since=since)
    yield from check_witnesses(since=since)


def check_chain(progress: Progress) -> Iterator[str]:
    """Compute every seal that there is by now again from its transfer and the seal before."""
    head: int = Seal.objects.aggregate(head=Max("sequence", default=0))["head"]
    followed = _counted(_seals(through=head), head + 1, progress)
    for sequence, row in breaks(followed, first=0, expected_hash=_expected_hash):
        if row is None:
            yield f"Seal {sequence} is missing."
        elif sequence == 0:
            yield "Seal 0 was changed."
        elif row[4] is None:
            yield f"Transfer {row[3]} is missing; seal {sequence} holds it."
        else:
            yield f"Transfer {row[3]} or its seal {sequence} was changed."


def _counted(rows: Iterator[Row], total: int, progress: Progress) -> Iterator[Row]:
    for row in rows:
        yield row
        if row[0] % CHUNK == 0:
            progress(row[0], total)


def _expected_hash(previous: str, row: Row) -> str:
    sequence, _, sealed_at, *fields = row
    if sequence == 0:
        return FIRST_HASH
    return seal_hash(previous, sequence=sequence, sealed_at=sealed_at, fields=fields)


def _seals(*, through: int) -> Iterator[Row]:
    """Yield the seals in order, a chunk by each statement: they are never changed, only added."""
    last = -1
    while True:
        seals = Seal.objects.filter(sequence__gt=last, sequence__lte=through).order_by("sequence")
        rows = list(seals.values_list("sequence", "hash", "sealed_at", *SEALED_FIELDS)[:CHUNK])
        yield from rows
        if not rows:
            return
        last = rows[-1][0]


def check_anchor(anchor: Anchor) -> Iterator[str]:
    """Check that a seal noted outside the database is still part of the chain."""
    if not Seal.objects.filter(sequence=anchor.sequence, hash=anchor.hash).exists():
        yield f"Seal {anchor.sequence} is not the one that was noted."


def check_transfers() -> Iterator[str]:
    """Check that each transfer is sealed or waiting to be, and matches its accounts."""
    for pk in keys_of(Transfer.objects.filter(seal=None, unsealed=None)):
        yield f"Transfer {pk} is neither sealed nor waiting for its seal."
    for pk in keys_of(UnsealedTransfer.objects.exclude(transfer__seal=None)):
        yield f"Transfer {pk} is sealed and counted as waiting, too."
    same = Transfer.objects.filter(
        pk=OuterRef("pk"),
        amount=OuterRef("amount"),
        debit_account=OuterRef("debit_account"),
        credit_account=OuterRef("credit_account"),
    )
    for pk in keys_of(UnsealedTransfer.objects.filter(~Exists(same))):
        yield f"Transfer {pk} waits for its seal with other values than its own."
    for side in ("debit_account", "credit_account"):
        account = Account.objects.filter(
            pk=OuterRef(side), currency=OuterRef("currency"), livemode=OuterRef("livemode")
        )
        for pk in keys_of(Transfer.objects.filter(~Exists(account))):
            yield f"Transfer {pk} is of another currency or mode than its {side}."


def check_exponents() -> Iterator[str]:
    """Name every account whose decimals are not those of its currency."""
    known = EXPONENTS | WITHDRAWN
    for currency, exponent in Account.objects.values_list("currency", "exponent").distinct():
        if known.get(currency) != exponent:
            for pk in keys_of(Account.objects.filter(currency=currency, exponent=exponent)):
                yield f"Account {pk} counts {currency} with {exponent} decimals."
