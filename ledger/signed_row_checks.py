"""Prove that each signed row is the one that the service wrote, and that it matches the log."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import CharField, F, Model, Q, QuerySet

from core.among import Among
from core.signatures import SignatureField, signature_field
from ledger.log_entries import TRANSFER
from ledger.log_models import LogLeaf, WaitingEntry
from ledger.models import Transfer, UnsealedTransfer
from ledger.proof_marks import Finding, ProvenUpTo
from ledger.reconciliation import CHUNK
from ledger.snapshot import snapshot

Row = Sequence[Any]
_WHOLE_NUMBER = re.compile("[0-9]{1,18}")


def signed_fields() -> list[SignatureField]:
    """Return the field that holds the signature, of every model whose rows are signed."""
    return [field for model in apps.get_models() if (field := signature_field(model))]


def log_has_begun() -> bool:
    """Return whether there is a log, or else no row that predates signatures."""
    return LogLeaf.objects.exists() or not _holds_unsigned_rows()


def _holds_unsigned_rows() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_unsigned_rows())
        return cursor.fetchone() is not None


@cache
def _unsigned_rows() -> str:
    """Return one query over all tables, as it is sent before each of them is proved."""
    tables = (field.model._meta.db_table for field in signed_fields())
    selects = (f'SELECT 1 FROM "{table}" WHERE signature IS NULL' for table in tables)  # noqa: S608  # our own tables
    return f"{' UNION ALL '.join(selects)} LIMIT 1"


def check_all_rows(field: SignatureField, mark: str = "") -> Iterator[Finding]:
    """Name each row that the service did not write as it is, or that differs from the log.

    Starts with the key after the mark, and takes a snapshot per chunk.
    """
    rows = field.model._base_manager.order_by("pk")
    while True:
        with snapshot():
            found = _read(rows.filter(pk__gt=mark) if mark else rows, field)
            if not found or not log_has_begun():
                return
            yield from _check_rows(field, found)
        mark = str(found[-1][0])
        yield ProvenUpTo(mark)
        if len(found) < CHUNK:  # what is written meanwhile is the next proof's
            return


def check_rows_since(field: SignatureField, leaf: int) -> Iterator[str]:
    """Do the same for the rows that the log names from that leaf on, or is about to name."""
    if not log_has_begun():
        return
    with snapshot():
        for rows in _named_since(field, leaf):
            yield from _check_rows(field, rows)


def _check_rows(field: SignatureField, rows: Sequence[Row]) -> Iterator[str]:
    kind = field.model._meta.db_table
    logged = newest_signatures(kind, [str(row[0]) for row in rows])
    yield from _check_logged(
        row[0] for row in rows if kind == TRANSFER and str(row[0]) not in logged
    )
    for row in rows:
        wrong = _fault_of(field, row, logged.get(str(row[0])))
        if wrong:
            yield f"{name_of(field.model, row[0])} {wrong}"


def _check_logged(ids: Iterable[int]) -> Iterator[str]:
    """Name each of these transfers that was sealed since the log began, and so lacks a leaf."""
    unlogged = set(ids)
    if not unlogged:
        return
    opening = LogLeaf.objects.filter(index=0).values_list("subject", flat=True).first()
    if opening is not None:
        head = int(opening) if _WHOLE_NUMBER.fullmatch(opening) else 0
        without = Q(unsealed__isnull=False) | Q(seal__sequence__lte=head)
        rows = Transfer.objects.filter(without, Among(F("pk"), unlogged))
        for pk in sorted(unlogged - set(rows.values_list("pk", flat=True))):
            yield f"Transfer {pk} is not in the log."


def _named_since(field: SignatureField, since: int) -> Iterator[list[Row]]:
    kind = field.model._meta.db_table
    leaves = LogLeaf.objects.filter(kind=kind, index__gte=since).order_by("index")
    waiting: QuerySet[Any] = WaitingEntry.objects.filter(kind=kind).order_by("pk")
    name = "subject"
    if kind == TRANSFER:
        waiting, name = UnsealedTransfer.objects.order_by("pk"), "transfer_id"
    named = chain(
        leaves.values_list("subject", flat=True).iterator(CHUNK),
        waiting.values_list(name, flat=True).iterator(CHUNK),
    )
    while keys := set(islice(named, CHUNK)):
        yield _read(field.model._base_manager.filter(pk__in=keys).order_by("pk"), field)


def _read(rows: QuerySet[Any], field: SignatureField) -> list[Row]:
    return list(rows.values_list("pk", "signature", *field.lookups)[:CHUNK])


def _fault_of(field: SignatureField, row: Row, logged: str | None) -> str:
    """Return what is wrong with a row, as the end of a sentence; "" if nothing is."""
    _, signature, *values = row
    if not field.verifies(signature or logged, values):
        return "was not written by the service, or was changed."
    if field.in_log and logged is None:
        return "is not in the log."
    if logged is not None and signature not in (None, logged):
        return "is not as the log has it."
    return ""


def newest_signatures(kind: str, subjects: Iterable[str]) -> dict[str, str]:
    """Return the last signature of each row, in the log or waiting to enter it."""
    found: dict[str, str] = {}
    for entries, order in ((LogLeaf.objects, "index"), (WaitingEntry.objects, "pk")):
        rows = entries.filter(Among(F("subject"), subjects), kind=kind).order_by(order)
        found |= dict(rows.values_list("subject", "signature"))
    return found


def logged_signature(kind: str, subject: str) -> str | None:
    """Return the last signature that the log has of a row, or is about to have; None if none.

    Entries of a row without a signature are empty: those are passed over.
    """
    for entries, newest in ((WaitingEntry.objects, "-pk"), (LogLeaf.objects, "-index")):
        signed = entries.filter(kind=kind, subject=subject).exclude(signature="")
        for signature in signed.order_by(newest).values_list("signature", flat=True)[:1]:
            return signature
    return None


def keys_in(model: type[Model], subjects: Iterable[str]) -> Sequence[str] | Sequence[int]:
    """Return subjects of the log as keys of this table, without those that no row can have."""
    if isinstance(model._meta.pk, CharField):
        return [*subjects]
    return [int(each) for each in subjects if _WHOLE_NUMBER.fullmatch(each)]


def name_of(model: type[Model], pk: object) -> str:
    """Return the name that a finding gives a row."""
    return f"{str(model._meta.verbose_name).capitalize()} {pk}"
