"""Sign the head of the log, so that those who hold it can tell when the log was changed."""

import base64
from datetime import datetime
from functools import lru_cache

import structlog
from django.conf import settings
from django.db.models import Subquery

from core.signed_notes import LogHead, NoteSigner, NoteVerifier
from ledger.log_models import Checkpoint
from ledger.log_tree import BrokenLog, log_root, log_size

logger = structlog.get_logger(__name__)


@lru_cache
def _signers(keys: str) -> tuple[NoteSigner, ...]:
    return tuple(NoteSigner.parse(key) for key in keys.split(","))


def verifiers() -> list[NoteVerifier]:
    """Return the public keys whose checkpoints count, the one that signs now first."""
    return [signer.verifier for signer in _signers(settings.CHECKPOINT_KEY)]


def is_ours(note: str) -> bool:
    """Return whether one of our keys has signed a note."""
    return any(verifier.has_signed(note) for verifier in verifiers())


def newest_checkpoint() -> Checkpoint | None:
    """Return the newest signed head."""
    return Checkpoint.objects.order_by("-size").first()


def newest_note() -> Subquery:
    """Return the newest signed head as text, as a subquery for a statement that is sent anyway."""
    return Subquery(Checkpoint.objects.order_by("-size").values("note")[:1])


def sign_head(*, now: datetime) -> Checkpoint | None:
    """Sign the head if the log has grown; return the newest checkpoint.

    A log that does not extend the last checkpoint is not signed: that is logged as an error.
    """
    last, size = newest_checkpoint(), log_size()
    if last is not None and not _is_part(last):
        logger.error("checkpoint_refused", size=size, signed=last.size)
        return last
    if size <= (last.size if last else 0):
        return last
    signer = _signers(settings.CHECKPOINT_KEY)[0]
    root = log_root(size)
    note = signer.sign(str(LogHead(signer.name, size, root)))
    signed, _ = Checkpoint.objects.get_or_create(
        size=size, defaults={"root": root, "note": note, "created_at": now}
    )
    logger.info("checkpoint_signed", size=size, root=base64.b64encode(root).decode())
    return signed


def _is_part(checkpoint: Checkpoint) -> bool:
    """Return whether the log still begins with the tree of a checkpoint that we have signed."""
    try:
        return is_ours(checkpoint.note) and log_root(checkpoint.size) == bytes(checkpoint.root)
    except BrokenLog:
        return False
