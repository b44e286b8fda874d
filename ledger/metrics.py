"""Metrics of the ledger, collected when they are scraped."""

from django.conf import settings

from core.database_clock import database_now
from core.latest_gauge import LatestGauge
from ledger.models import Checkpoint, Proof, WitnessState

wrong = LatestGauge(
    "ledger_wrong",
    "1 if a proof of the ledger has found a wrong row; otherwise 0.",
)
proven_at = LatestGauge(
    "ledger_proven_timestamp_seconds",
    "When the new part of the ledger was last proven, in seconds since 1970; 0: never.",
)
whole_proven_at = LatestGauge(
    "ledger_whole_proof_timestamp_seconds",
    "When the last proof of the whole ledger ended, in seconds since 1970; 0: never.",
)

behind = LatestGauge(
    "witness_behind_seconds",
    "The age of the oldest signed head that a witness has not confirmed; 0 if it has all.",
    ["witness"],
)


def collect() -> None:
    """Set the gauges: most of them from one row, and one for each witness."""
    proof = Proof.objects.filter(pk=Proof.ONLY).first()
    wrong.set(bool(proof and proof.problem))
    proven_at.set(proof.ended_at.timestamp() if proof and proof.ended_at else 0)
    whole_at = proof.whole_ended_at if proof else None
    whole_proven_at.set(whole_at.timestamp() if whole_at else 0)
    _collect_witnesses()


def _collect_witnesses() -> None:
    now, sizes = database_now(), dict(WitnessState.objects.values_list("address", "size"))
    for address in settings.CHECKPOINT_WITNESSES:
        lacking = Checkpoint.objects.filter(size__gt=sizes.get(address, 0))
        first = lacking.order_by("size").values_list("created_at", flat=True).first() or now
        behind.labels(address).set(max(0, int((now - first).total_seconds())))
