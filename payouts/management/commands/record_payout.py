from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.clock import utc_now
from core.errors import ApiError
from payouts.services import REFUSED, record_failed, record_paid, record_returned

ACTOR = "system:payouts.record"


class Command(BaseCommand):
    help = "Record what the bank answered about a payout: paid, or failed or returned and why."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("payout", help="its id (po_…)")
        parser.add_argument("answer", choices=("paid", "failed", "returned"))
        parser.add_argument("--bank-reference", default="", help="the bank's name for it, if paid")
        parser.add_argument("--code", default=REFUSED, help="why it failed or returned, in a word")
        parser.add_argument("--message", default="The bank refused the payout.", help="and in full")

    def handle(self, *args: Any, **options: Any) -> None:
        payout_id, at = options["payout"], utc_now()
        try:
            if options["answer"] == "paid":
                payout = record_paid(
                    payout_id=payout_id,
                    bank_reference=options["bank_reference"],
                    actor=ACTOR,
                    now=at,
                )
            else:
                record = record_failed if options["answer"] == "failed" else record_returned
                payout = record(
                    payout_id=payout_id,
                    code=options["code"],
                    message=options["message"],
                    actor=ACTOR,
                    now=at,
                )
        except ApiError as error:
            raise CommandError(f"{error.message} {error.details}") from None
        self.stdout.write(f"{payout.id} {payout.status} {payout.amount} {payout.currency}")
