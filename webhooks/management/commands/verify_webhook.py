"""`manage.py verify_webhook`: why does my endpoint refuse this request?"""

import re
import sys
from argparse import ArgumentParser, FileType
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.clock import utc_now
from core.ids import is_id
from core.instants import parse_instant
from core.json import dump_json
from webhooks.cli.remote import RemoteService, add_remote_arguments, remote_of
from webhooks.cli.signature_checks import Check, alteration_of, checks
from webhooks.delivery.signing import is_secret


class Command(BaseCommand):
    help = (
        "Report which check of a webhook request fails. Give the request as it was received: "
        "headers, an empty line, body. Exits 1 if a check fails."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("secret", help="of the endpoint: whsec_…")
        parser.add_argument(
            "request", nargs="?", type=FileType("rb"), help="a file; default: standard input"
        )
        add_remote_arguments(parser)
        parser.add_argument("--at", help="when it was received, ISO 8601; default: now")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, **options: Any) -> None:
        secret = options["secret"]
        if not is_secret(secret):
            raise CommandError("A secret is whsec_ and 32 bytes in base64.")
        at = parse_instant(options["at"]) if options["at"] else utc_now()
        if at is None:
            raise CommandError("--at must be an ISO 8601 instant with a time zone.")
        headers, body = _read((options["request"] or sys.stdin.buffer).read())
        made = list(checks(headers, body, secret=secret, at=at))
        if remote := remote_of(options):
            made.append(_known(remote, headers.get("webhook-id", "")))
        is_good = all(check.is_good for check in made)
        hint = None
        if not is_good and "x-service-signature" in headers:
            hint = alteration_of(headers, body, secret=secret)
        if options["json"]:
            found = [asdict(check) for check in made]
            self.stdout.write(dump_json({"ok": is_good, "checks": found, "hint": hint}).decode())
        else:
            self.stdout.write("\n".join([*map(_line, made), *([f"      {hint}"] if hint else [])]))
        if not is_good:
            sys.exit(1)


def _known(remote: RemoteService, event_id: str) -> Check:
    """Return whether the service has such an event of this merchant, a test event included."""
    is_known = is_id("evt", event_id) and remote.has(f"/events/{event_id}")
    says = "is an event of this merchant" if is_known else "is no event of this merchant"
    return Check("webhook-id", is_known, says)


def _line(check: Check) -> str:
    return f"{'ok  ' if check.is_good else 'FAIL'}  {check.name}: {check.says}"


def _read(request: bytes) -> tuple[dict[str, str], bytes]:
    """Split a request into headers, their names in lower case, and body."""
    parts = re.split(rb"\r?\n\r?\n", request, maxsplit=1)
    if len(parts) == 1:
        raise CommandError("There is no empty line between headers and body.")
    head, body = parts
    lines = [line.partition(":") for line in head.decode("latin-1").splitlines()]
    return {name.strip().lower(): value.strip() for name, colon, value in lines if colon}, body
