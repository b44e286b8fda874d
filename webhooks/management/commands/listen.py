"""`manage.py listen`: see events as they arrive, and forward them to your application."""

import queue
import signal
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.clock import utc_now
from core.errors import ApiError
from merchants.callers import Caller
from webhooks.cli.listener import Listener, ReceivedEvent
from webhooks.cli.merchant_argument import MERCHANT_HELP, test_caller
from webhooks.endpoints import IssuedSecret, create_webhook, delete_webhook
from webhooks.event_types import EVERYTHING, SUBSCRIBABLE, EventType
from webhooks.models import Webhook

DESCRIPTION = "manage.py listen"
ACTOR = "system:webhooks.listen"


class Command(BaseCommand):
    help = (
        "Print a merchant's test events as they come, resent ones too, and pass them on to a "
        "local address, signed. It is a webhook of its own for as long as it runs; the worker "
        "sends to it. Ctrl-C ends it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--merchant", help=MERCHANT_HELP)
        parser.add_argument(
            "--events", nargs="+", default=[EVERYTHING], choices=SUBSCRIBABLE, metavar="TYPE",
            help="types, payment.* and its like, or * for all of them (default)",
        )  # fmt: skip
        parser.add_argument("--forward-to", metavar="URL", help="its answer becomes ours")
        parser.add_argument("--port", type=int, default=0, help="default: any that is free")
        parser.add_argument(
            "--exit-after", choices=EventType.values, metavar="TYPE", help="end with 0 after one"
        )
        parser.add_argument("--timeout", type=float, metavar="SECONDS", help="then end with 1")
        parser.add_argument("--json", action="store_true", help="print one event a line, as sent")

    def handle(self, **options: Any) -> None:
        # On any signal to stop, it deletes its webhook first.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self._listen(test_caller(options["merchant"], actor=ACTOR), options)
        finally:
            signal.signal(signal.SIGTERM, before)

    def _listen(self, caller: Caller, options: dict[str, Any]) -> None:
        with Listener(port=options["port"], forward_to=options["forward_to"]) as listener:
            issued = _register(caller, listener.url, options["events"])
            listener.secret = issued.secret
            self.stderr.write(f"Listening for {caller.owner.name}. The secret: {issued.secret}")
            try:
                self._print_events(listener, options)
            except KeyboardInterrupt:
                self.stderr.write("Stopped.")
            finally:
                delete_webhook(caller=caller, webhook_id=issued.webhook.id, now=utc_now())

    def _print_events(self, listener: Listener, options: dict[str, Any]) -> None:
        end = time.monotonic() + options["timeout"] if options["timeout"] else None
        while True:
            left = None if end is None else max(0.0, end - time.monotonic())
            try:
                received = listener.received.get(timeout=left)
            except queue.Empty:
                raise CommandError(f"Nothing more within {options['timeout']:g} s.") from None
            self.stdout.write(received.body.decode() if options["json"] else _line(received))
            self.stdout.flush()
            if not received.fault and received.event["type"] == options["exit_after"]:
                return


def _register(caller: Caller, url: str, events: list[str]) -> IssuedSecret:
    """Register the webhook, and delete one that a killed command has left behind."""
    left = Webhook.objects.visible_to(caller).not_deleted().filter(description=DESCRIPTION)
    try:
        for webhook in left:
            delete_webhook(caller=caller, webhook_id=webhook.id, now=utc_now())
        return create_webhook(
            caller=caller, url=url, events=events, description=DESCRIPTION, now=utc_now()
        )
    except ApiError as error:
        hint = "It needs WEBHOOK_ALLOW_PRIVATE, which is on in development."
        raise CommandError(f"{error.message} {error.details}. {hint}") from None


def _line(received: ReceivedEvent) -> str:
    if received.fault:
        return f"{received.status}  {received.fault}"
    event = received.event
    subject = next(iter(event["data"].values()), "")
    return f"{received.status}  {event['created']}  {event['type']}  {event['id']}  {subject}"
