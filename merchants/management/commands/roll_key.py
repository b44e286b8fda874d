from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import CommandError
from django.db.models import Q

from core.clock import iso, utc_now
from core.commands import RefusableCommand
from core.json import dump_json
from merchants.models import ApiKey
from merchants.services import roll_key

OVERLAP_HOURS = 24
SERVER = "system:merchants.roll_key"


class Command(RefusableCommand):
    help = (
        "Replace an API key with a new one, which is only shown once. The old one keeps working "
        "for a while."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", help="its id (key_…) or its last four characters")
        parser.add_argument(
            "--merchant", help="id or slug, if several keys end with the same characters"
        )
        parser.add_argument(
            "--overlap-hours",
            type=int,
            default=OVERLAP_HOURS,
            metavar="N",
            help=f"hours that the old key still works, 0 to end it now (default {OVERLAP_HOURS})",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        at = utc_now()
        old = _find(options["key"], options["merchant"], at)
        overlap = timedelta(hours=options["overlap_hours"])
        issued = roll_key(key_id=old.id, overlap=overlap, now=at, actor=SERVER)
        old.refresh_from_db()
        body = {
            "id": issued.key.id,
            "secret": issued.secret,
            "replaces": old.id,
            "replaced_works_until": iso(old.expires_at or at),
        }
        as_json = dump_json(body).decode()
        lines = "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in body.items())
        self.stdout.write(as_json if options["json"] else lines)


def _find(key: str, merchant: str | None, at: datetime) -> ApiKey:
    """Return the only active key that matches."""
    found = ApiKey.objects.active(at).filter(Q(pk=key) | Q(last_four=key))
    if merchant:
        found = found.filter(Q(merchant=merchant) | Q(merchant__slug=merchant))
    keys = list(found[:2])
    if not keys:
        raise CommandError("There is no active key with this id or these last characters.")
    if len(keys) > 1:
        raise CommandError(
            "Several keys end with these characters: name the merchant, or the key's id."
        )
    return keys[0]
