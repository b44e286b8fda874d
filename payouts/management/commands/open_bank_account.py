import sys
from argparse import ArgumentParser
from getpass import getpass
from typing import Any

from django.conf import settings

from core.clock import utc_now
from core.commands import RefusableCommand
from merchants.models import Merchant
from payouts.bank_accounts import BankDetails
from payouts.own_accounts import replace_bank_account


class Command(RefusableCommand):
    help = (
        "Set the bank account for a merchant's payouts, replacing the previous one. "
        "The account number is asked for, or read from standard input: as an argument, other "
        "users of the machine could see it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("merchant", help="id or slug")
        parser.add_argument("--holder", required=True, help="the account holder")
        parser.add_argument("--bank", required=True, help="the name of the bank")
        parser.add_argument("--bic", default="", help="the bank's BIC")
        parser.add_argument("--clearing-code", default="", help="the bank's national code")
        parser.add_argument("--currency", default=settings.DEFAULT_CURRENCY)
        parser.add_argument("--test", action="store_true", help="for test payouts")

    def handle(self, *args: Any, **options: Any) -> None:
        merchant = Merchant.objects.named(options["merchant"])
        details = BankDetails(
            currency=options["currency"],
            holder_name=options["holder"],
            bank_name=options["bank"],
            number=getpass("Account number: ") if sys.stdin.isatty() else sys.stdin.readline(),
            bic=options["bic"],
            clearing_code=options["clearing_code"],
        )
        account = replace_bank_account(
            merchant_id=merchant.id,
            livemode=not options["test"],
            details=details,
            actor="system:payouts.open_bank_account",
            now=utc_now(),
        )
        self.stdout.write(f"{account.id} {account}")
