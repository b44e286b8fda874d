"""Hand checkpoints to witnesses outside the house, and ask them what they have.

A witness is a folder, preferably on another machine; a bucket with object lock; or an HTTP service
that speaks `tlog-witness` of C2SP, which accepts a checkpoint only with proof that it extends the
one it has.
"""

import base64
import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

import structlog
from django.conf import settings

from core import merkle
from core.signed_notes import LogHead
from ledger.bucket_witness import BUCKET, notes_in, object_name, put_checkpoints
from ledger.checkpoints import is_ours, newest_checkpoint
from ledger.log_checks import FEWER, check_head
from ledger.log_models import Checkpoint, WitnessState
from ledger.log_tree import BrokenLog, stored_node
from ledger.witness_answers import WitnessAway, WitnessRefused
from outbound.http_client import post
from outbound.policy import policy_for
from outbound.results import HttpResult

SECONDS = 10
# How many checkpoints a returning witness gets in one turn, so that others do not wait for it.
BACKLOG = 500
# The most notes of a folder that a check reads, spread over all there are, and the newest.
SAMPLES = 1_000
FOLDER = "file://"
_SIZE = re.compile("[0-9]{1,18}")

logger = structlog.get_logger(__name__)


def inform_witnesses(*, now: datetime) -> None:
    """Hand each witness the checkpoints it lacks, recording each one that it accepts."""
    newest = newest_checkpoint()
    if newest is None:
        return
    for address in settings.CHECKPOINT_WITNESSES:
        state, _ = WitnessState.objects.get_or_create(address=address)
        if state.size == newest.size:
            continue
        problem = ""
        try:
            for size in _hand_over(address, newest, state.size, now):
                state.size, state.confirmed_at = size, now
                state.save(update_fields=["size", "confirmed_at"])
        except WitnessRefused as refusal:
            problem = str(refusal)
            logger.error("witness_refused", witness=address, problem=problem)
        except WitnessAway as reason:
            problem = str(reason)
            logger.warning("witness_away", witness=address, problem=problem)
        state.problem = problem[:255]
        state.save(update_fields=["problem"])


def check_witnesses(*, since: int = 0) -> Iterator[str]:
    """Yield a sentence for each checkpoint held outside that the present log does not extend.

    In folders and buckets, only heads of at least `since` leaves are read.
    """
    newest = newest_checkpoint()
    for address in settings.CHECKPOINT_WITNESSES:
        try:
            if address.startswith(FOLDER):
                yield from _check_notes(address, _notes_in_folder(address, since))
            elif address.startswith(BUCKET):
                size = newest.size if newest else 0
                yield from _check_notes(address, notes_in(address, since=since, size=size))
            elif newest is not None:
                _post(address, newest, newest.size)
        except WitnessRefused as refusal:
            yield f"Witness {address} has another log: {refusal}"
        except WitnessAway as reason:
            logger.warning("witness_away", witness=address, problem=str(reason))


def _hand_over(address: str, newest: Checkpoint, since: int, now: datetime) -> Iterator[int]:
    """Hand over what a witness lacks; yield the size that it has reached after each step."""
    lacking = Checkpoint.objects.filter(size__gt=since).order_by("size")[:BACKLOG]
    if address.startswith(FOLDER):
        yield from _write(_folder(address), lacking)
    elif address.startswith(BUCKET):
        yield from put_checkpoints(address, lacking, now=now)
    else:
        _post(address, newest, since)
        yield newest.size


def _folder(address: str) -> Path:
    return Path(address.removeprefix(FOLDER))


def _write(folder: Path, checkpoints: Iterable[Checkpoint]) -> Iterator[int]:
    """Write checkpoints into a folder, each as a whole; never overwrite an existing one."""
    for checkpoint in checkpoints:
        place, note = folder / object_name(checkpoint.size), checkpoint.note.encode()
        try:
            if not place.exists():
                draft = place.with_suffix(".draft")
                draft.write_bytes(note)
                draft.rename(place)
            elif place.read_bytes() != note:
                raise WitnessRefused(f"it has another {place.name}.")
        except OSError as error:
            raise _unreachable(error) from None
        yield checkpoint.size


def _notes_in_folder(address: str, since: int) -> Iterator[tuple[str, str]]:
    """Yield name and text of the notes of `since` leaves or more; "" for an unreadable one.

    Raises WitnessAway if the folder is missing.
    """
    folder, oldest = _folder(address), object_name(since)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".checkpoint"))
    except OSError as error:
        raise _unreachable(error) from None
    names = [name for name in names if name >= oldest]
    for name in [*names[: -1 : len(names) // SAMPLES + 1], *names[-1:]]:
        try:
            yield name, (folder / name).read_bytes().decode(errors="replace")
        except OSError:
            yield name, ""


def _unreachable(error: OSError) -> WitnessAway:
    return WitnessAway(f"{type(error).__name__}: {error.strerror}")


def _check_notes(address: str, notes: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, note in notes:
        if not is_ours(note):
            yield f"Witness {address} holds {name}, which no key of ours has signed."
            continue
        head = LogHead.parse(note)
        yield from check_head(head.size, head.root, f"Checkpoint of witness {address}:")


def _post(address: str, newest: Checkpoint, since: int) -> None:
    """Hand over by HTTP; if the witness has another size than we thought, start from there."""
    result = _send(address, newest, since)
    if result.status == 409:
        size = _SIZE.fullmatch(result.excerpt.strip())
        if not size or int(size[0]) > newest.size:
            answer = result.excerpt.strip()[:18]
            raise WitnessRefused(f"it has {answer} leaves, ours of {newest.size} {FEWER}")
        result = _send(address, newest, int(size[0]))
    if result.status in (409, 422):
        raise WitnessRefused("it does not extend what the witness has.")
    if not result.is_success:
        raise WitnessAway(result.error or f"it answered {result.status}.")


def _send(address: str, newest: Checkpoint, since: int) -> HttpResult:
    try:
        path = merkle.consistency_path(since, newest.size, stored_node)
    except BrokenLog as error:
        raise WitnessRefused(str(error)) from None
    proof = "".join(f"{base64.b64encode(step).decode()}\n" for step in path)
    return post(
        f"{address.rstrip('/')}/add-checkpoint",
        body=f"old {since}\n{proof}\n{newest.note}".encode(),
        headers={"Content-Type": "text/plain"},
        policy=policy_for(livemode=not settings.DEVELOPMENT_MODE),
        seconds=SECONDS,
    )
