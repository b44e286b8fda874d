"""Metrics of the ledger, collected when they are scraped."""

from prometheus_client import Gauge

from core.metrics import LATEST
from ledger.models import Proof

wrong = Gauge(
    "ledger_wrong",
    "1 where the last proof of the ledger found a wrong row, otherwise 0.",
    multiprocess_mode=LATEST,
)
proven_at = Gauge(
    "ledger_proven_timestamp_seconds",
    "When the last proof of the ledger ended, in seconds since 1970; 0 before the first one.",
    multiprocess_mode=LATEST,
)


def collect() -> None:
    """Set the gauges, from one row."""
    proof = Proof.objects.filter(pk=Proof.ONLY, ended_at__isnull=False).first()
    wrong.set(bool(proof and proof.problem))
    proven_at.set(proof.ended_at.timestamp() if proof and proof.ended_at else 0)
