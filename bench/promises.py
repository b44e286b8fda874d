"""What must hold after the service was broken, whatever was broken and when."""

import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bench.rig import Rig
from bench.traders import Transcript
from tests.webhooks.receiver import Received

DECIDED = (200, 201, 422)
# Unfinished work: pending deliveries, payments in `processing`, and unsealed transfers.
UNSETTLED = """
    SELECT (SELECT count(*) FROM webhooks_delivery WHERE status = 'pending')
         + (SELECT count(*) FROM payments_payment WHERE status = 'processing')
         + (SELECT count(*) FROM ledger_unsealedtransfer)
"""
COMPLETED_TWICE = """
    SELECT payment_id FROM payments_paymenttransition WHERE to_status = 'completed'
    GROUP BY payment_id HAVING count(*) > 1
"""


@dataclass
class Findings:
    """The database, the receiver and the clients, compared once all work has finished."""

    rig: Rig
    transcript: Transcript
    unsettled: int
    received: list[Received]

    @cached_property
    def events(self) -> dict[str, Any]:
        """The creation time of each event, by its id."""
        return {
            row[0]: row[1] for row in self.rig.rows("SELECT id, created_at FROM webhooks_event")
        }

    @cached_property
    def arrivals(self) -> Counter[str]:
        return Counter(each.headers["webhook-id"] for each in self.received)

    @property
    def lost(self) -> int:
        return len(self.events.keys() - self.arrivals.keys())

    @property
    def bodies_changed(self) -> int:
        bodies = {(each.headers["webhook-id"], each.body) for each in self.received}
        return len(bodies) - len(self.arrivals)

    @property
    def repeated(self) -> int:
        """The number of arrivals of events that had already arrived before."""
        return self.arrivals.total() - len(self.arrivals)

    @property
    def changes(self) -> int:
        return self.rig.changes


def settle(rig: Rig, transcript: Transcript, *, timeout_seconds: float) -> Findings:
    """Wait until all work has finished, or none has for so many seconds.

    A busy machine takes longer to work off a backlog: that is late, not lost.
    """
    fewest, deadline = None, time.monotonic() + timeout_seconds
    while (left := rig.rows(UNSETTLED)[0][0]) and time.monotonic() < deadline:
        if fewest is None or left < fewest:
            fewest, deadline = left, time.monotonic() + timeout_seconds
        time.sleep(0.5)
    return Findings(rig, transcript, int(left), rig.wire.receiver.received())


def broken_promises(found: Findings, *, proof_seconds: float) -> dict[str, object]:
    """Return the violations of each promise: all must be 0 or empty."""
    rig, transcript = found.rig, found.transcript
    kept = {row[0] for row in rig.rows("SELECT key FROM core_idempotencykey")}
    return {
        "what the ledger's proof refuses": _refused(rig, "verify_ledger", proof_seconds),
        "what the audit's proof refuses": _refused(rig, "verify_audit", proof_seconds),
        "acknowledged keys that are gone": len(transcript.answers.keys() - kept),
        **broken_so_far(rig, transcript),
        "events that never arrived": found.lost,
        "events that arrived with other bytes": found.bodies_changed,
        "rows that are stuck": found.unsettled,
    }


def broken_so_far(rig: Rig, transcript: Transcript) -> dict[str, object]:
    """Return the violations of those promises that can be checked while clients trade."""
    twice = len(rig.rows(COMPLETED_TWICE))
    with transcript.lock:
        wire = Counter(exchange.status for exchange in transcript.exchanges)
        return {
            "repeats that were not the same bytes": list(transcript.changed),
            "requests that were never decided": list(transcript.given_up),
            "answers that are none of ours": {
                status: count
                for status, count in transcript.statuses.items()
                if status not in DECIDED
            },
            "answers 500": wire[500],
            "payments completed twice": twice,
        }


def _refused(rig: Rig, command: str, timeout_seconds: float) -> str:
    """Return the output of a proof that does not hold; empty if it holds."""
    process = rig.stack.run("manage.py", command)
    try:
        return rig.stack.words() if process.wait(timeout_seconds) else ""
    except subprocess.TimeoutExpired:
        return f"{command} did not end"
