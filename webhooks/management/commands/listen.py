"""`manage.py listen`: see events as they arrive, and forward them to your application."""

import queue
import signal
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.clock import utc_now
from core.errors import ApiError
from merchants.callers import Caller
from webhooks.cli.following import follow
from webhooks.cli.listener import Listener, ReceivedEvent
from webhooks.cli.merchant_argument import LISTENED_HELP, test_callers
from webhooks.cli.remote import add_remote_arguments, remote_of
from webhooks.delivery.signing import new_secret
from webhooks.endpoints import IssuedSecret, create_webhook, delete_webhook
from webhooks.event_types import EVERYTHING, SUBSCRIBABLE, EventType
from webhooks.models import Webhook

DESCRIPTION = "manage.py listen"
ACTOR = "system:webhooks.listen"
LOOK_SECONDS = 2.0
WEB = ("http://", "https://")


class Command(BaseCommand):
    help = (
        "Print test events as they happen, and forward them to a local URL, signed. While it runs, "
        "it is a webhook to which the worker sends, redeliveries included; with --api it reads "
        "the list of events. Ctrl-C stops it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_remote_arguments(parser)
        parser.add_argument("--merchant", help=LISTENED_HELP)
        parser.add_argument(
            "--events", nargs="+", default=[EVERYTHING], choices=SUBSCRIBABLE, metavar="TYPE",
            help="types, groups such as payment.*, or * for everything (default)",
        )  # fmt: skip
        parser.add_argument("--forward-to", metavar="URL", help="its response becomes ours")
        parser.add_argument("--port", type=int, default=0, help="default: any free port")
        parser.add_argument(
            "--exit-after", choices=EventType.values, metavar="TYPE", help="exit 0 after one"
        )
        parser.add_argument("--timeout", type=float, metavar="SECONDS", help="then exit 1")
        parser.add_argument("--json", action="store_true", help="print one event per line, as sent")

    def handle(self, **options: Any) -> None:
        # On any signal to stop, it deletes its webhooks first.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            with _listener(options["port"], options["forward_to"]) as listener:
                self._listen(listener, options)
        except KeyboardInterrupt:
            self.stderr.write("Stopped.")
        finally:
            signal.signal(signal.SIGTERM, before)

    def _listen(self, listener: Listener, options: dict[str, Any]) -> None:
        if remote := remote_of(options):
            listener.secrets.append(new_secret())
            self._say(remote.merchant_name(), listener.secrets[0])
            seen = follow(remote, listener, options["events"], options["timeout"])
            return self._print_events(seen, options)
        endpoints = FollowedMerchants(options["merchant"], listener, options["events"])
        try:
            seen = self._deliveries(endpoints, listener, options["timeout"])
            return self._print_events(seen, options)
        finally:
            endpoints.close()

    def _deliveries(
        self, endpoints: "FollowedMerchants", listener: Listener, seconds: float | None
    ) -> Iterator[ReceivedEvent]:
        """Yield what the worker sends; check now and then for new merchants."""
        end = None if seconds is None else time.monotonic() + seconds
        while end is None or time.monotonic() < end:
            for name, secret in endpoints.follow_new():
                self._say(name, secret)
            left = LOOK_SECONDS if end is None else min(LOOK_SECONDS, end - time.monotonic())
            with suppress(queue.Empty):
                yield listener.received.get(timeout=max(0.0, left))

    def _say(self, name: str, secret: str) -> None:
        self.stderr.write(f"Listening for {name}. The secret: {secret}")

    def _print_events(self, seen: Iterator[ReceivedEvent], options: dict[str, Any]) -> None:
        for received in seen:
            self.stdout.write(received.body.decode() if options["json"] else _line(received))
            self.stdout.flush()
            if not received.fault and received.event["type"] == options["exit_after"]:
                return
        raise CommandError(f"Nothing more within {options['timeout']:g} s.")


class FollowedMerchants:
    """The webhooks of this command: one for each test merchant that it follows."""

    def __init__(self, merchant: str | None, listener: Listener, events: list[str]) -> None:
        self._named, self._listener, self._events = merchant, listener, events
        self._made: dict[str, tuple[Caller, str]] = {}

    def follow_new(self) -> Iterator[tuple[str, str]]:
        """Register with each new merchant; yield its name and the secret."""
        for caller in test_callers(self._named, actor=ACTOR):
            if caller.owner.id not in self._made:
                issued = _register(caller, self._listener.url, self._events)
                self._made[caller.owner.id] = caller, issued.webhook.id
                self._listener.secrets.append(issued.secret)
                yield caller.owner.name, issued.secret

    def close(self) -> None:
        for caller, webhook_id in self._made.values():
            delete_webhook(caller=caller, webhook_id=webhook_id, now=utc_now())


def _listener(port: int, forward_to: str | None) -> Listener:
    """Return what listens at the port. Raises CommandError if it cannot, or cannot forward."""
    if forward_to and not forward_to.startswith(WEB):
        raise CommandError("--forward-to must begin with http:// or https://.")
    try:
        return Listener(port=port, forward_to=forward_to)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or "it must be from 1 to 65535"
        raise CommandError(f"--port {port}: {reason}. Without it any free port is used.") from None


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
        reason = f"{caller.owner.name}: {error.details or error.message}".removesuffix(".")
        hint = (
            "With --merchant it listens for one merchant only."
            if settings.WEBHOOK_ALLOW_PRIVATE
            else "It needs WEBHOOK_ALLOW_PRIVATE, which is on in development."
        )
        raise CommandError(f"{reason}. {hint}") from None


def _line(received: ReceivedEvent) -> str:
    if received.fault:
        return f"{received.status}  {received.fault}"
    event = received.event
    subject = next(iter(event["data"].values()), "")
    return f"{received.status}  {event['created']}  {event['type']}  {event['id']}  {subject}"
