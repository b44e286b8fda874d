"""Entries as they are stored, without a file that a bank has written."""

from typing import Any

from core.clock import utc_now
from core.ids import new_id
from payouts.models import BankEntry, BankFile


def stored(source: str = "statement", **values: Any) -> BankEntry:
    """Store an entry of that kind of file: an unnamed debit of 800, but for the given values.

    It is matched if a payout, a run, or what it was credited to is given.
    """
    now = utc_now()
    file, _ = BankFile.objects.get_or_create(
        source=source,
        message_id="M-1",
        livemode=True,
        defaults={"content_hash": "0" * 64, "created_at": now, "created_by": "staff:ann"},
    )
    entry_id = new_id("ben", now)
    row = {"kind": "debit", "amount": 800, "currency": "BSD", "livemode": True}
    if values.keys() & {"payout", "batch", "credited_to"}:
        row |= {"state": "matched", "resolved_at": now}
    return BankEntry.objects.create(
        id=entry_id, file=file, source=source, key=entry_id, created_at=now, **(row | values)
    )
