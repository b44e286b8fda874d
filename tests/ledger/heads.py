"""Signed heads as the minutes go by, and a thief who forgets them all."""

from django.db import connection

from ledger.checkpoints import sign_head
from ledger.models import Checkpoint, Purpose
from ledger.sealing import seal_transfers
from ledger.witnesses import inform_witnesses
from tests.ledger.funding import NOW, fund, opened
from tests.ledger.thief import all_rights


def grow(times: int = 1) -> Checkpoint:
    """Post, seal, sign and hand over, as the minutes go by."""
    for _ in range(times):
        fund(opened(Purpose.MERCHANT), 10)
        seal_transfers(now=NOW)
        signed = sign_head(now=NOW)
        inform_witnesses(now=NOW)
    assert signed is not None
    return signed


def rewrite_everything() -> None:
    """A thief with all rights, who forgets what we have signed as well."""
    with all_rights(), connection.cursor() as cursor:
        for table in ("checkpoint", "logsubtree", "logleaf", "witnessstate"):
            cursor.execute(f"DELETE FROM ledger_{table}")
        cursor.execute("DELETE FROM ledger_seal WHERE sequence > 0")
        cursor.execute("DELETE FROM ledger_transfer")
        cursor.execute("UPDATE ledger_account SET balance = 0")
