"""`manage.py restored`: after a restore, keep payouts shut until reconciled with the bank."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import CommandError

from core.clock import utc_now
from core.commands import RefusableCommand
from core.key_register import words_of_missing_keys
from ledger.log_checks import FEWER
from ledger.restoring import note_restore
from ledger.sealing import SealerBusy
from ledger.witnesses import check_witnesses
from payouts import continuity
from payouts.bank.reopening import reopen
from payouts.models import Payout
from payouts.statuses import PayoutStatus

ACTOR = "system:restored"
UNREADABLE = "Stored secrets cannot be read, and no process will start:"


class Command(RefusableCommand):
    help = (
        "Record that the database was restored from a backup or moved to another server: the "
        "ledger's log says so from then on, and no payouts are sent. Import the bank's files since "
        "the backup again, compare the payouts in transit with the bank's own list, record what it "
        "has paid or refused, explain each waiting bank entry that names our orders, then open "
        "payouts again with --reconciled. "
        "On PostgreSQL, a restore or the promotion of a replica shuts payouts automatically."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--reconciled", action="store_true", help="the bank has been asked: open payouts again"
        )

    def handle(self, **options: Any) -> None:
        now = utc_now()
        missing = words_of_missing_keys()
        if options["reconciled"]:
            if missing:
                raise CommandError("\n".join([UNREADABLE, *missing, "Payouts stay shut."]))
            reopen(actor=ACTOR, now=now)
            self.stdout.write("Payouts are open again.")
            return
        continuity.shut(actor=ACTOR, now=now)
        self._go_on_with_the_log(now)
        moving = Payout.objects.filter(livemode=True, status=PayoutStatus.IN_TRANSIT).count()
        self.stdout.write(f"Payouts are shut. In transit, to compare with the bank: {moving}.")
        if missing:
            self.stderr.write("\n".join([UNREADABLE, *missing]))

    def _go_on_with_the_log(self, now: datetime) -> None:
        """Append the restore to the log. Raises CommandError if the witnesses have another log."""
        found = list(check_witnesses())  # before today's leaf, which the witnesses cannot have yet
        try:
            index = note_restore(now=now)
        except SealerBusy:
            raise CommandError("Transfers are being sealed: run it again.") from None
        if index is None:
            return
        self.stdout.write(
            f"The log continues: its leaf {index} says that the database was restored."
        )
        changed = [fault for fault in found if not fault.endswith(FEWER)]
        for lost in found:
            if lost not in changed:
                self.stdout.write(f"Lost since the backup: {lost}")
        if changed:
            raise CommandError("Not what was backed up: " + " ".join(changed))
