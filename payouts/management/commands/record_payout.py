from argparse import ArgumentParser
from typing import Any

from core.clock_check import checked_now
from core.commands import RefusableCommand
from payouts.services import (
    REFUSED,
    RETURNED_BY_BANK,
    SAYS_REFUSED,
    SAYS_RETURNED,
    record_failed,
    record_paid,
    record_returned,
)

ACTOR = "system:payouts.record"
ANSWERS = {
    "failed": (record_failed, REFUSED, SAYS_REFUSED),
    "returned": (record_returned, RETURNED_BY_BANK, SAYS_RETURNED),
}


class Command(RefusableCommand):
    help = "Record the bank's response to a payout: paid, or failed or returned and why."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("payout", help="its id (po_…)")
        parser.add_argument("answer", choices=("paid", "failed", "returned"))
        parser.add_argument("--bank-reference", default="", help="the bank's reference, if paid")
        parser.add_argument("--code", default="", help="why it failed or returned, in a word")
        parser.add_argument("--message", default="", help="the reason in full")

    def handle(self, *args: Any, **options: Any) -> None:
        payout_id = options["payout"]
        at = checked_now()
        if options["answer"] == "paid":
            payout = record_paid(
                payout_id=payout_id,
                bank_reference=options["bank_reference"],
                actor=ACTOR,
                now=at,
            )
        else:
            record, code, message = ANSWERS[options["answer"]]
            payout = record(
                payout_id=payout_id,
                code=options["code"] or code,
                message=options["message"] or message,
                actor=ACTOR,
                now=at,
            )
        self.stdout.write(f"{payout.id} {payout.status} {payout.amount} {payout.currency}")
