"""`manage.py resend`: send an event again."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.clock import utc_now
from core.errors import ApiError
from core.ids import is_id
from core.json import dump_json
from merchants.callers import Caller
from webhooks.cli.remote import RemoteService, add_remote_arguments, remote_of
from webhooks.models import Delivery, Event
from webhooks.redelivery import retry_delivery

ACTOR = "system:webhooks.resend"


class Command(BaseCommand):
    help = "Send an event again to the endpoints that it was sent to, or repeat one delivery."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", help="of the event or of the delivery: evt_… or dlv_…")
        add_remote_arguments(parser)
        parser.add_argument("--webhook", help="only to this endpoint: wh_…")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, **options: Any) -> None:
        remote = remote_of(options)
        if remote:
            outcomes = dict(_resent_by_api(remote, options["id"], options["webhook"]))
        else:
            outcomes = _resent(options)
        if not outcomes:
            raise CommandError(_why_none(remote, options["id"]))
        if options["json"]:
            self.stdout.write(dump_json({"deliveries": outcomes}).decode())
        else:
            self.stdout.write("\n".join(f"{pk}  {outcome}" for pk, outcome in outcomes.items()))


def _why_none(remote: RemoteService | None, named: str) -> str:
    """Return why nothing is sent again. By key, an unknown delivery is one of no endpoint."""
    if remote:
        is_known = not named.startswith("evt_") or remote.has(f"/events/{named}")
    else:
        events, deliveries = Event.objects.filter(pk=named), Delivery.objects.filter(pk=named)
        is_known = events.exists() or deliveries.exists()
    if not is_known:
        return f"There is no event or delivery {named}."
    return "It was not sent to any endpoint that still exists."


def _resent_by_api(
    remote: RemoteService, named: str, webhook: str | None
) -> Iterator[tuple[str, str]]:
    hooks = [hook for hook in remote.each("/webhooks", "webhooks") if webhook in (None, hook["id"])]
    query = {"event_id": named} if is_id("evt", named) else {}
    for hook in hooks:
        place = f"/webhooks/{hook['id']}/deliveries"
        for delivery in remote.each(place, "deliveries", **query):
            if named in (delivery["id"], delivery["event_id"]):
                remote.post(f"{place}/{delivery['id']}/retry")
                yield delivery["id"], f"on its way to {hook['url']}"


def _resent(options: dict[str, Any]) -> dict[str, str]:
    rows = Delivery.objects.select_related("webhook").filter(webhook__deleted_at=None)
    named = rows.filter(pk=options["id"]) | rows.filter(event=options["id"])
    if options["webhook"]:
        named = named.filter(webhook=options["webhook"])
    return {delivery.id: _send(delivery) for delivery in named.order_by("pk")}


def _send(delivery: Delivery) -> str:
    """Send a delivery again; return a line about the result."""
    caller = Caller.for_staff(livemode=delivery.webhook.livemode, actor=ACTOR)
    try:
        retry_delivery(
            caller=caller,
            webhook_id=delivery.webhook_id,
            delivery_id=delivery.id,
            now=utc_now(),
        )
    except ApiError as error:
        return f"{error.code} {error.details}"
    return f"on its way to {delivery.webhook.url}"
