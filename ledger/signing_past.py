"""Sign, once, the rows from before rows were signed, and mark each signature as such."""

from datetime import datetime

from django.db import transaction
from django.db.models import Model

from core.signatures import AT_UPGRADE, SignatureField, sign
from ledger.log_entries import TRANSFER, TRANSFER_ENTRY, transfer_entry
from ledger.log_models import LogLeaf, WaitingEntry
from ledger.log_tree import append_leaves
from ledger.logging_rows import open_log, transfer_leaves
from ledger.models import Seal, Transfer
from ledger.reconciliation import CHUNK
from ledger.sealing import SealerBusy, hold_chain
from ledger.signed_row_checks import signed_fields


class LogBegun(Exception):
    """The log has begun: a row without a signature is not an old one any more."""


@transaction.atomic
def sign_existing_rows(*, now: datetime) -> int:
    """Begin the log and sign every row that has no signature; return how many.

    The signatures say that they were made now, not on insert. What was done to a row before cannot
    be known; what is done to it from here on can. Raises LogBegun if this was done before,
    SealerBusy.
    """
    if not hold_chain(now):
        raise SealerBusy
    if LogLeaf.objects.exists():
        raise LogBegun
    WaitingEntry.objects.filter(signature="").delete()  # of the previous release
    open_log(Seal.objects.latest("sequence"), now=now)
    _log_sealed(now)
    return sum(_sign_rows(field, now) for field in signed_fields())


def _log_sealed(now: datetime) -> None:
    """Append the transfers that were signed on insert and sealed before there was a log."""
    rows = Transfer.objects.filter(signature__isnull=False, unsealed=None).order_by("pk")
    last = 0
    while signatures := dict(rows.filter(pk__gt=last).values_list("pk", "signature")[:CHUNK]):
        append_leaves(transfer_leaves(list(signatures), signatures), now=now)
        last = max(signatures)


def _sign_rows(field: SignatureField, now: datetime) -> int:
    unsigned = field.model._base_manager.filter(signature=None).order_by("pk")
    rows, count = unsigned, 0
    while found := list(rows.values_list("pk", *field.lookups)[:CHUNK]):
        signatures = {pk: sign(field.signed_form(values), mark=AT_UPGRADE) for pk, *values in found}
        _log_signatures(field.model, signatures, now)
        rows, count = unsigned.filter(pk__gt=found[-1][0]), count + len(found)
    return count


def _log_signatures(model: type[Model], signatures: dict[object, str], now: datetime) -> None:
    kind = model._meta.db_table
    if kind != TRANSFER:
        WaitingEntry.objects.bulk_create(
            WaitingEntry(kind=kind, subject=str(pk), signature=signature)
            for pk, signature in signatures.items()
        )
        return
    rows = Transfer.objects.filter(pk__in=list(signatures)).order_by("pk")
    append_leaves(
        (
            (
                LogLeaf(kind=kind, subject=str(row[0]), signature=signatures[row[0]]),
                transfer_entry(row, signatures[row[0]]),
            )
            for row in rows.values_list(*TRANSFER_ENTRY)
        ),
        now=now,
    )
