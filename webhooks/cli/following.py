"""The events of a service, one by one as they happen, for those who have only a key."""

import time
from collections.abc import Iterator
from typing import Any

from core.clock import utc_now
from core.json import dump_json
from webhooks.cli.listener import Listener, ReceivedEvent
from webhooks.cli.remote import RemoteService
from webhooks.delivery.signing import signature_headers

WAIT_SECONDS = 25


def follow(
    service: RemoteService, listener: Listener, types: list[str], seconds: float | None
) -> Iterator[ReceivedEvent]:
    """Pass on what happens from now on, signed as by the service, for `seconds` or for ever."""
    newest = service.get("/events", limit=1)["events"]
    after = newest[0]["sequence"] if newest else 0
    end = None if seconds is None else time.monotonic() + seconds
    while end is None or time.monotonic() < end:
        left = WAIT_SECONDS if end is None else min(WAIT_SECONDS, int(end - time.monotonic()))
        for event in service.get("/events", after=after, wait=max(0, left))["events"]:
            after = event["sequence"]
            if matches(event["type"], types):
                yield _passed_on(listener, event)


def matches(event_type: str, types: list[str]) -> bool:
    """Return whether a type is among these, which may include `*` and `payment.*`."""
    return any(
        each in ("*", event_type)
        or (each.endswith(".*") and event_type.startswith(each.removesuffix("*")))
        for each in types
    )


def _passed_on(listener: Listener, event: dict[str, Any]) -> ReceivedEvent:
    body = dump_json(event)
    headers = signature_headers(
        event_id=event["id"], body=body, at=utc_now(), secret=listener.secrets[0], previous=None
    )
    named = {name.lower(): value for name, value in headers.items()}
    return listener.receive({**named, "content-type": "application/json"}, body)
