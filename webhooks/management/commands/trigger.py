"""`manage.py trigger`: a sample event of any type, without the operation that causes it."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.clock import utc_now
from core.json import dump_json
from merchants.callers import Caller
from webhooks.cli.following import matches
from webhooks.cli.merchant_argument import MERCHANT_HELP, test_caller
from webhooks.cli.remote import RemoteService, add_remote_arguments, remote_of
from webhooks.event_types import EventType
from webhooks.models import Event
from webhooks.samples import sample_of
from webhooks.test_event import send_sample_event

ACTOR = "system:webhooks.trigger"
DATA = "data."


class Command(BaseCommand):
    help = (
        "Send a sample event to a merchant's test endpoints that subscribe to its type. It is not "
        "in the list of events, and is attempted once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("type", choices=EventType.values, metavar="TYPE", help="of the event")
        add_remote_arguments(parser)
        parser.add_argument("--merchant", help=MERCHANT_HELP)
        parser.add_argument(
            "--override", action="append", default=[], type=_override, metavar="data.NAME=VALUE",
            help="a value of the sample, in JSON or as text; may be given again",
        )  # fmt: skip
        parser.add_argument("--from", dest="original", metavar="EVENT", help="data of this event")
        parser.add_argument("--json", action="store_true", help="print the event as it is sent")

    def handle(self, **options: Any) -> None:
        if remote := remote_of(options):
            return self._trigger_by_api(remote, options)
        caller = test_caller(options["merchant"], actor=ACTOR)
        event_type = EventType(options["type"])
        data = _data(event_type, options["original"], caller)
        for path, value in options["override"]:
            _set(data, path, value)
        event, count = send_sample_event(
            caller=caller, event_type=event_type, data=data, now=utc_now()
        )
        if options["json"]:
            self.stdout.write(event.payload.decode())
        if not count:
            raise CommandError(_no_endpoint(event_type))
        if not options["json"]:
            self.stdout.write(f"{event.id} is on its way to {count} endpoint{'s' * (count != 1)}.")
        return None

    def _trigger_by_api(self, remote: RemoteService, options: dict[str, Any]) -> None:
        data = _changes(remote, options)
        hooks = [hook for hook in remote.each("/webhooks", "webhooks") if hook["is_active"]]
        hooks = [hook for hook in hooks if matches(options["type"], hook["events"])]
        undelivered = 0
        for hook in hooks:
            body = {"webhook_id": hook["id"], "event_type": options["type"], "data": data}
            sent = remote.post("/webhooks/test", body)
            undelivered += not sent["delivered"]
            text = dump_json(sent).decode() if options["json"] else _outcome(sent, hook["url"])
            self.stdout.write(text)
        if not hooks:
            raise CommandError(_no_endpoint(options["type"]))
        if undelivered:
            raise CommandError(f"{undelivered} of {len(hooks)} did not acknowledge it.")


def _no_endpoint(event_type: str) -> str:
    return f"No endpoint subscribes to {event_type}. Add one with POST /v1/webhooks and a test key."


def _outcome(sent: dict[str, Any], url: str) -> str:
    if sent["delivered"]:
        return f"sent to {url}"
    return f"not delivered to {url}: {sent.get('error', 'no attempt was made')}"


def _changes(remote: RemoteService, options: dict[str, Any]) -> dict[str, Any]:
    """Return the fields in which the event is to differ from the sample of its type."""
    event_type = EventType(options["type"])
    sample, data = sample_of(event_type), sample_of(event_type)
    if options["original"]:
        original = remote.get(f"/events/{options['original']}")
        if original["type"] != event_type:
            raise CommandError(f"{original['id']} is a {original['type']} event.")
        data = original["data"]
    for path, value in options["override"]:
        _set(data, path, value)
    left_out = dict.fromkeys(sample.keys() - data.keys())
    return left_out | {name: data[name] for name in data if sample.get(name) != data[name]}


def _data(event_type: EventType, original: str | None, caller: Caller) -> dict[str, Any]:
    if original is None:
        return sample_of(event_type, merchant_id=caller.owner.id)
    event = Event.objects.visible_to(caller).filter(pk=original, type=event_type).first()
    if event is None:
        raise CommandError(f"The merchant has no {event_type} event {original} in test mode.")
    data: dict[str, Any] = event.content["data"]
    return data


def _override(text: str) -> tuple[list[str], Any]:
    """Read `data.amount=500` or `data.metadata.order=A7`."""
    path, equals, value = text.partition("=")
    names = path.removeprefix(DATA).split(".")
    if not equals or not path.startswith(DATA) or not all(names):
        raise ArgumentTypeError("must look like data.amount=500")
    try:
        return names, json.loads(value)
    except ValueError:
        return names, value


def _set(data: dict[str, Any], path: list[str], value: Any) -> None:
    for name in path[:-1]:
        inner = data.setdefault(name, {})
        if not isinstance(inner, dict):
            raise CommandError(f"{DATA}{'.'.join(path)}: {name} holds no object.")
        data = inner
    data[path[-1]] = value
