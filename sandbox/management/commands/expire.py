"""`manage.py expire`: expire a test payment or link now."""

from argparse import ArgumentParser
from typing import Any

from core.clock import utc_now
from core.commands import RefusableCommand
from core.ids import is_id
from merchants.callers import Caller
from sandbox.time_travel import expire_now
from webhooks.cli.remote import add_remote_arguments, remote_of

EVERYONE = Caller.for_staff(livemode=False, actor="system:sandbox.expire")


class Command(RefusableCommand):
    help = "Expire a test payment or payment link as if its time had come, including the event."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", help="of the payment or link: pay_… or link_…")
        add_remote_arguments(parser)

    def handle(self, **options: Any) -> None:
        if remote := remote_of(options):
            place = "payment-links" if is_id("link", options["id"]) else "payments"
            ended = remote.post(f"/{place}/{options['id']}/expire")
            self.stdout.write(f"{ended['id']}  {ended['status']}")
            return
        status = expire_now(caller=EVERYONE, object_id=options["id"], now=utc_now())
        self.stdout.write(f"{options['id']}  {status}")
