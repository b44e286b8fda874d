"""Metrics of the ledger, collected when they are scraped."""

from prometheus_client import Gauge

from core.metrics import LATEST
from ledger.models import Proof

wrong = Gauge(
    "ledger_wrong",
    "1 where proofs of the ledger have found a wrong row, otherwise 0.",
    multiprocess_mode=LATEST,
)
proven_at = Gauge(
    "ledger_proven_timestamp_seconds",
    "When what is new was last proven, in seconds since 1970; 0 before the first time.",
    multiprocess_mode=LATEST,
)
whole_proven_at = Gauge(
    "ledger_whole_proof_timestamp_seconds",
    "When the last proof of everything ended, in seconds since 1970; 0 before the first one.",
    multiprocess_mode=LATEST,
)


def collect() -> None:
    """Set the gauges, from one row."""
    proof = Proof.objects.filter(pk=Proof.ONLY).first()
    wrong.set(bool(proof and proof.problem))
    proven_at.set(proof.ended_at.timestamp() if proof and proof.ended_at else 0)
    whole_at = proof.whole_ended_at if proof else None
    whole_proven_at.set(whole_at.timestamp() if whole_at else 0)
