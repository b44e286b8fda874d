"""Bank files uploaded by staff: parsed at once, imported once a second person approves.

The uploader may have written the file, and its entries give money: a credit fills a wallet, a
refusal or return gives a payout back to its merchant. An amended statement removes entries, for
which payouts may have waited. The request states what a file says and what it removes, and exactly
that is imported, or less. If its references mean something else by then, nothing is.
"""

import hashlib
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from backoffice.errors import BankFileStale, ClockWrong
from backoffice.models import Instruction, InstructionFile
from backoffice.services.bank_file_summary import does_no_more_than, summary_of
from core.clock import ClockRefused
from core.clock_check import checked_now
from core.crypto import decrypt, encrypt
from core.errors import ApiError
from core.sealed import place_of
from merchants.callers import Caller
from payouts.bank.importing import match_bank_file
from payouts.bank.storage import ParsedBankFile, StoredFile, parse_bank_file, store_bank_file
from payouts.errors import BankFileUnfit
from payouts.models import BankEntry

_BYTES = "latin-1"  # each byte is one character

# A file, or why it is refused: that is raised, and noted, within the transaction that acts on it.
Upload = ParsedBankFile | ApiError


def content_hash(content: bytes) -> str:
    """Return the SHA-256 of a file, which identifies it in requests and the audit trail."""
    return hashlib.sha256(content).hexdigest()


def seal_file(content: bytes) -> str:
    """Encrypt a file until it is decided on."""
    return encrypt(content.decode(_BYTES), _place_of(content_hash(content)))


def parse_upload(sealed_content: str, digest: str) -> Upload:
    """Decrypt and parse the file of this hash, outside of a transaction: no one waits for it.

    A wrong clock is refused here, because here the alarm is stored although the work is not.
    """
    try:
        checked_now()
        return parse_bank_file(decrypt(sealed_content, _place_of(digest)).encode(_BYTES))
    except ClockRefused as refusal:
        return ClockWrong(str(refusal))
    except ApiError as error:
        return error


def parse_pending_upload(instruction_id: str) -> Upload | None:
    """Parse the file of an instruction, if it has one; outside of a transaction."""
    files = InstructionFile.objects.select_related("instruction")
    file = files.filter(instruction=instruction_id).first()
    return parse_upload(file.sealed_content, file.instruction.subject_id) if file else None


def _place_of(digest: str) -> bytes:
    """Return what a file's encryption is bound to: its content, known before there is a request."""
    return place_of(InstructionFile, "sealed_content", [digest])


def check_file(instruction: Instruction, now: datetime, upload: Upload | None = None) -> None:
    """Store the file as an import would, roll that back, and keep the summary.

    Raises BankFileUnreadable, BankFileUnfit.
    """
    with transaction.atomic():
        stored = _store(upload, instruction, "", now)
        instruction.arguments = summary_of(stored, now)
        transaction.set_rollback(True)
    instruction.save(update_fields=["arguments"])


def import_file(
    instruction: Instruction, caller: Caller, now: datetime, upload: Upload | None = None
) -> str:
    """Store the file, and match its entries one by one after the commit.

    Raises as `check_file`, and BankFileStale if it would do anything that was not shown.
    """
    stored = _store(upload, instruction, caller.actor, now)
    if not does_no_more_than(summary_of(stored, now), instruction.arguments):
        raise BankFileStale
    transaction.on_commit(partial(match_bank_file, stored=stored, actor=caller.actor, now=now))
    return str(stored.file.pk)


def entries_of(instruction: Instruction) -> QuerySet[BankEntry]:
    """Return the stored entries of an instruction's file."""
    files = [instruction.result_id] if "file" in instruction.arguments else []
    return BankEntry.objects.filter(file__in=filter(None, files))


def _store(
    upload: Upload | None, instruction: Instruction, actor: str, now: datetime
) -> StoredFile:
    if upload is None:
        raise BankFileUnfit(file="is no longer available")
    if isinstance(upload, ApiError):
        raise upload
    if upload.content_hash != instruction.subject_id:
        raise BankFileUnfit(file="is not the one that was uploaded")
    return store_bank_file(parsed=upload, livemode=instruction.livemode, actor=actor, now=now)
