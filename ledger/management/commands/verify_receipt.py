"""`manage.py verify_receipt`: check a receipt that a merchant or customer has kept."""

import json
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.log_receipts import ReceiptRefused, head_of, proven_entries
from core.signed_notes import NoteVerifier
from ledger.checkpoints import verifiers

EXPECTED = "must be the JSON of a receipt"


class Command(BaseCommand):
    help = "Verify a receipt against its signed head. Needs no database."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--key", type=NoteVerifier.parse, help="a public key other than ours")

    def handle(self, **options: Any) -> None:
        if not options["key"] and not settings.CHECKPOINT_KEY:
            raise CommandError("Give the public key with --key: there is no CHECKPOINT_KEY here.")
        keys = [options["key"]] if options["key"] else verifiers()
        receipt = _read(options["file"])
        try:
            entries = proven_entries(receipt, keys)
        except ReceiptRefused as refusal:
            self.stderr.write(f"Not proven: {refusal}")
            sys.exit(1)
        head = head_of(receipt["checkpoint"], keys)
        for entry in entries:
            line = "{movement} {reference}: {amount} {currency}, {debit_owner} to {credit_owner}"
            self.stdout.write(line.format(**entry))
        self.stdout.write(f"Proven: log {head.origin} of {head.size} leaves holds it.")


def _read(file: Path) -> dict[str, Any]:
    try:
        receipt = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise CommandError(f"{file}: {EXPECTED} ({type(error).__name__}).") from None
    if not isinstance(receipt, dict):
        raise CommandError(f"{file}: {EXPECTED}.")
    return receipt
