"""`manage.py prune`: keep the log of deliveries shorter than the schedule does."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime, timedelta
from typing import Any

from core.clock import iso
from core.clock_check import checked_now
from core.commands import RefusableCommand
from core.json import dump_json
from core.progress_bar import ProgressBar
from core.retention import PERIODS
from webhooks.retention import ended_before, prune_deliveries

DEFAULT_DAYS = PERIODS["delivery logs"].days
# Longer than the response stored under an Idempotency-Key may refer to the delivery.
MIN_DAYS = 7


class Command(RefusableCommand):
    help = (
        "Delete the log of old webhook deliveries that have ended, with all attempts. "
        "Events are kept, and so is everything that concerns money."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--days",
            type=_days,
            default=DEFAULT_DAYS,
            help=f"delete what is older (default {DEFAULT_DAYS}, at least {MIN_DAYS})",
        )
        parser.add_argument("--dry-run", action="store_true", help="only print how many there are")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, **options: Any) -> None:
        before = checked_now() - timedelta(days=options["days"])
        count = ended_before(before).count()
        if not options["dry_run"]:
            count = self._prune(before, count)
        if options["json"]:
            found = {"before": iso(before), "deliveries": count, "dry_run": options["dry_run"]}
            self.stdout.write(dump_json(found).decode())
        else:
            verb = "would go" if options["dry_run"] else "are gone"
            self.stdout.write(f"{count:,} deliveries from before {iso(before)} {verb}.")

    def _prune(self, before: datetime, total: int) -> int:
        bar = ProgressBar(self.stderr, "deliveries")
        count = prune_deliveries(before=before, progress=lambda done: bar.show(done, total))
        bar.clear()
        return count


def _days(text: str) -> int:
    if not text.isdecimal() or int(text) < MIN_DAYS:
        raise ArgumentTypeError(f"must be {MIN_DAYS} or more")
    return int(text)
