"""`manage.py advance`: advance the clock of a merchant's test objects."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError

from core.clock import utc_now
from core.commands import RefusableCommand
from core.json import dump_json
from sandbox.serializers import TimeStep, step_of
from sandbox.time_travel import advance
from webhooks.cli.remote import add_remote_arguments, remote_of


class Command(RefusableCommand):
    help = (
        "Advance the clock for a merchant's test objects: expiry, reminders, payouts and webhook "
        "attempts move closer. Live objects are not affected."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("merchant", nargs="?", help="its id (mer_…); not needed with --key")
        add_remote_arguments(parser)
        parser.add_argument("--days", type=int, default=0, metavar="N")
        parser.add_argument("--hours", type=int, default=0, metavar="N")
        parser.add_argument("--minutes", type=int, default=0, metavar="N")
        parser.add_argument(
            "--work", action="store_true", help="run what is due at once, if no worker is running"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, **options: Any) -> None:
        units = {unit: options[unit] for unit in ("days", "hours", "minutes")}
        by = step_of(TimeStep.parse(units))
        if remote := remote_of(options):
            moved = remote.post("/test/advance", units)
            counts = {name: moved[name] for name in moved if name != "moved_to"}
            return self._say(counts, options)
        if not options["merchant"]:
            raise CommandError("Name the merchant: mer_…")
        counts = advance(merchant_id=options["merchant"], by=by, now=utc_now())
        if options["work"]:
            call_command("worker", once=True)
        return self._say(counts, options)

    def _say(self, counts: dict[str, int], options: dict[str, Any]) -> None:
        lines = "\n".join(f"{count:6}  {name}" for name, count in counts.items())
        self.stdout.write(dump_json(counts).decode() if options["json"] else lines)
