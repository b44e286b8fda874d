import json
import os
from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction

from core.clock import ClockRefused
from core.clock_check import checked_now
from core.commands import RefusableCommand
from core.errors import ApiError
from core.progress_bar import ProgressBar
from payouts.batches import create_batch, find_batch, first_day, note_file, orders_of, payouts_due
from payouts.business_days import BusinessDays
from payouts.csv_file import csv_file
from payouts.errors import NothingToExport
from payouts.models import PayoutBatch
from payouts.pain001 import pain001

FORMATS = ("csv", "pain001")
OWNER_ONLY = 0o600


class Command(RefusableCommand):
    help = (
        "Write the payouts that are due into a file for the bank, and mark them as in transit. "
        "Only you can read the file, as it contains account numbers. With --batch, write the file "
        "of an existing batch again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="where to write; must not exist")
        parser.add_argument("--format", choices=FORMATS, default="pain001")
        parser.add_argument("--batch", help="an existing batch (bat_…)")
        parser.add_argument("--currency", default=settings.DEFAULT_CURRENCY)
        parser.add_argument("--date", type=date.fromisoformat, help="when the bank is to pay")
        parser.add_argument("--test", action="store_true", help="test payouts: for a rehearsal")
        parser.add_argument("--json", action="store_true", help="print the batch as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        bar = ProgressBar(self.stderr, "payouts")
        try:
            with open(options["file"], "xb", opener=_for_owner_only) as file:
                exported = _export(options, bar)
                if exported is None:
                    raise NothingToExport
                batch, content = exported
                file.write(content)
        except FileExistsError:
            raise CommandError(f"{options['file']} exists already.") from None
        except (ApiError, ClockRefused):
            os.unlink(options["file"])
            raise
        bar.clear()
        left = 0 if options["batch"] else _left(batch)
        self.stdout.write(_as_json(batch, left) if options["json"] else _as_text(batch, left))


def _as_json(batch: PayoutBatch, left: int) -> str:
    record = {
        "batch_id": batch.id,
        "payouts": batch.count,
        "amount": batch.total_amount,
        "currency": batch.currency,
        "execution_date": batch.execution_date.isoformat(),
        "left": left,
    }
    return json.dumps(record)


def _as_text(batch: PayoutBatch, left: int) -> str:
    line = f"{batch.id} {batch.count} payouts {batch.total_amount} {batch.currency}"
    return f"{line}\n{left} more are due: run it again with another file." if left else line


def _left(batch: PayoutBatch) -> int:
    day = batch.execution_date
    due = payouts_due(livemode=batch.livemode, currency=batch.currency, execution_date=day)
    return due.count()


@transaction.atomic
def _export(options: dict[str, Any], bar: ProgressBar) -> tuple[PayoutBatch, bytes] | None:
    """Return a batch and its file. If the file cannot be written, no payout leaves either.

    None if nothing is left to send: an exception would roll back the payouts that have failed.
    """
    batch = find_batch(options["batch"]) if options["batch"] else _new_batch(options, bar)
    if batch is None:
        return None
    orders = orders_of(batch)
    if options["format"] == "csv":
        return batch, csv_file(orders).encode()
    content = pain001(batch, orders)
    note_file(batch, content)
    return batch, content


def _new_batch(options: dict[str, Any], bar: ProgressBar) -> PayoutBatch | None:
    at = checked_now()
    today = BusinessDays.load().on_or_after(first_day(at))
    return create_batch(
        livemode=not options["test"],
        currency=options["currency"],
        execution_date=options["date"] or today,
        actor="system:payouts.export",
        now=at,
        progress=bar.show,
    )


def _for_owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)
