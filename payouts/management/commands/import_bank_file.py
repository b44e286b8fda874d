"""`manage.py import_bank_file`: import a status report, statement or notification."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from core.clock_check import checked_now
from core.commands import RefusableCommand
from core.progress_bar import ProgressBar
from payouts.bank.importing import ImportResult, import_bank_file
from payouts.bank.safe_xml import MAX_FILE_BYTES

ACTOR = "system:payouts.import_bank_file"


class Command(RefusableCommand):
    help = (
        "Import a bank file: a status report (pain.002), a statement (camt.053) or a notification "
        "(camt.054), and record what it reports about payouts. Safe to repeat. Anything that does "
        "not match exactly waits for staff in the back office."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--test", action="store_true", help="of test payouts: for a rehearsal")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        bar = ProgressBar(self.stderr, "entries")
        try:
            with Path(options["file"]).open("rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
            done = import_bank_file(
                content=content,
                livemode=not options["test"],
                actor=ACTOR,
                now=checked_now(),
                progress=bar.show,
            )
        except OSError as error:
            raise CommandError(str(error)) from None
        bar.clear()
        if options["json"]:
            self.stdout.write(json.dumps(_figures(done)))
        else:
            self.stdout.write(_words(done))


def _figures(done: ImportResult) -> dict[str, Any]:
    return {
        "source": done.stored.file.source,
        "message_id": done.stored.file.message_id,
        "repeated": done.stored.repeated,
        "matched": done.matched,
        "unmatched": done.unmatched,
        "known": done.stored.known,
        "matched_earlier": done.matched_earlier,
    }


def _words(done: ImportResult) -> str:
    known = f", {done.stored.known} known from other files" if done.stored.known else ""
    if done.matched_earlier:
        known += f", {done.matched_earlier} of earlier files matched"
    again = " (imported before)" if done.stored.repeated else ""
    return (
        f"{done.stored.file.get_source_display()} {done.stored.file.message_id}{again}: "
        f"{done.matched} matched, {done.unmatched} wait for a person{known}."
    )
