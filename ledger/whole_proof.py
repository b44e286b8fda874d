"""Prove everything on schedule, in slices: for at most a tenth of the time, at any size.

Each slice resumes the proof where the last one stopped, whichever process that was, and holds no
snapshot beyond its own. When everything is read, it starts over.
"""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from core.signatures import is_signed, sign
from ledger.models import Proof
from ledger.proof_marks import ProvenUpTo
from ledger.proof_parts import ProofPart, whole_parts
from ledger.proving import INTERVAL, MAX_PROBLEMS, REST_FACTOR, claim, proof_row, report

SLICE_SECONDS = 6
SECOND, MICROSECOND = 1_000_000_000, 1_000  # in nanoseconds
_SAVED = (
    *("whole_due_at", "whole_started_at", "whole_ended_at", "part", "position"),
    *("whole_problem", "whole_mark", "problem"),
)

logger = structlog.get_logger(__name__)


@dataclass
class _Slice:
    """A few seconds of the proof: how far it has come, and what it has found."""

    ends_at: int  # in nanoseconds of the monotonic clock
    part: str = ""
    position: str = ""
    problems: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return time.monotonic_ns() >= self.ends_at or len(self.problems) >= MAX_PROBLEMS

    def go_on(self, parts: list[ProofPart]) -> None:
        """Read until the time is up, or everything is read: then there is no next part."""
        names = [part.name for part in parts]
        if self.part not in names:
            self.part, self.position = names[0], ""
        for place in range(names.index(self.part), len(parts)):
            if not self._finish(parts[place]):
                return
            self.part, self.position = (*names, "")[place + 1], ""
            if self.is_over:
                return

    def _finish(self, part: ProofPart) -> bool:
        """Read a part from the position on; return whether its end was reached."""
        for found in part.run(self.position):
            if isinstance(found, ProvenUpTo):
                self.position = found.mark
                if self.is_over:
                    return False
            elif len(self.problems) < MAX_PROBLEMS:
                self.problems.append(found)
        return True


def prove_slice_if_due(*, now: datetime) -> bool | None:
    """Continue the proof of everything if it is due; return whether what was read is right.

    Wrong rows are logged as errors. None means that it was not due.
    """
    if not claim("whole_due_at", now):
        return None
    proof, began = proof_row().get(), time.monotonic_ns()
    if not is_signed(proof.whole_mark, _recorded(proof)) or proof.whole_started_at is None:
        proof.part = proof.position = proof.whole_problem = ""
        proof.whole_started_at = now
    reading = _Slice(began + SLICE_SECONDS * SECOND, proof.part, proof.position)
    try:
        reading.go_on(whole_parts())
    except Exception:
        proof_row().update(whole_due_at=now + INTERVAL)  # no result: retry soon
        raise
    report(reading.problems)
    _save(proof, reading, now=now, took=_since(began))
    return not reading.problems


def _save(proof: Proof, done: _Slice, *, now: datetime, took: timedelta) -> None:
    proof.part, proof.position = done.part, done.position
    proof.whole_due_at = now + took * (1 + REST_FACTOR)
    if done.problems:
        proof.whole_problem = proof.whole_problem or done.problems[0]
        proof.problem = proof.whole_problem
    if not done.part:
        logger.info("ledger_proven_whole", right=not proof.whole_problem)
        proof.problem, proof.whole_problem = proof.whole_problem, ""
        proof.whole_ended_at, proof.whole_started_at = now + took, None
        proof.whole_due_at = max(proof.whole_due_at, now + took + INTERVAL)
    proof.whole_mark = sign(_recorded(proof))
    proof.save(update_fields=_SAVED)


def _since(began: int) -> timedelta:
    return timedelta(microseconds=(time.monotonic_ns() - began) // MICROSECOND)


def _recorded(proof: Proof) -> tuple[object, ...]:
    return (
        *("ledger_whole_proof", proof.whole_started_at, proof.part, proof.position),
        proof.whole_problem,
    )
