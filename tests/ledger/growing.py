"""A log that grows, and is handed to its witnesses."""

from ledger.checkpoints import sign_head
from ledger.models import Checkpoint, Purpose
from ledger.sealing import seal_transfers
from ledger.witnesses import inform_witnesses
from tests.ledger.funding import NOW, fund, opened


def grow(times: int = 1) -> Checkpoint:
    """Post, seal, sign and hand over, as the minutes go by."""
    for _ in range(times):
        fund(opened(Purpose.MERCHANT), 10)
        seal_transfers(now=NOW)
        signed = sign_head(now=NOW)
        inform_witnesses(now=NOW)
    assert signed is not None
    return signed
