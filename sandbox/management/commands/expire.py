"""`manage.py expire`: end a test payment or link now."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.clock import utc_now
from core.errors import ApiError
from merchants.callers import Caller
from sandbox.time_travel import expire_now

EVERYONE = Caller.for_staff(livemode=False, actor="system:sandbox.expire")


class Command(BaseCommand):
    help = "Expire a test payment or payment link as if its time had come, event included."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", help="of the payment or link: pay_… or link_…")

    def handle(self, **options: Any) -> None:
        try:
            status = expire_now(caller=EVERYONE, object_id=options["id"], now=utc_now())
        except ApiError as error:
            raise CommandError(f"{error.message} {error.details}".strip()) from None
        self.stdout.write(f"{options['id']}  {status}")
