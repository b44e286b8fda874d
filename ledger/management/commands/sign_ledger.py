"""`manage.py sign_ledger`: sign, once, the rows from before rows were signed."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.clock import utc_now
from ledger.sealing import SealerBusy
from ledger.signing_past import LogBegun, sign_existing_rows


class Command(BaseCommand):
    help = "Begin the log: sign every row that is older than it. Run it once, after the upgrade."

    def handle(self, **options: Any) -> None:
        try:
            count = sign_existing_rows(now=utc_now())
        except LogBegun:
            self.stderr.write(
                "The log has already begun: a row without a signature is not an old one."
            )
            sys.exit(1)
        except SealerBusy:
            raise CommandError("Transfers are being sealed: run it again.") from None
        self.stdout.write(f"{count:,} rows signed; the log begins with them.")
