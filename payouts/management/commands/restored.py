"""`manage.py restored`: after a restore, keep payouts shut until the bank was asked."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.clock import utc_now
from payouts import continuity
from payouts.bank.reopening import reopen
from payouts.errors import BankEntriesWaiting
from payouts.models import Payout
from payouts.statuses import PayoutStatus

ACTOR = "system:restored"


class Command(BaseCommand):
    help = (
        "Say that the database was restored from a backup or moved to another server: from then on "
        "no payout leaves. Import the bank's files since the backup again, compare what is in "
        "transit with the bank's own list, record what it has paid or refused, explain each bank "
        "entry that names our orders and waits, then open payouts again with --reconciled. "
        "PostgreSQL is shut by itself after a restore or the promotion of a replica."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--reconciled", action="store_true", help="the bank was asked: open payouts again"
        )

    def handle(self, **options: Any) -> None:
        now = utc_now()
        if options["reconciled"]:
            try:
                reopen(actor=ACTOR, now=now)
            except BankEntriesWaiting as error:
                raise CommandError(f"{error.message} {error.details}") from None
            self.stdout.write("Payouts are open again.")
            return
        continuity.shut(actor=ACTOR, now=now)
        moving = Payout.objects.filter(livemode=True, status=PayoutStatus.IN_TRANSIT).count()
        self.stdout.write(f"Payouts are shut. In transit, to compare with the bank: {moving}.")
