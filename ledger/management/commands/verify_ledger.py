"""`manage.py verify_ledger`: prove every balance, every seal and every check of LEDGER_CHECKS."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection

from core.progress_bar import ProgressBar
from ledger.integrity import Anchor, Figures, figures, verify
from ledger.snapshot import snapshot

STANDBY = (
    "This is a standby, as of {as_of:%Y-%m-%d %H:%M:%S} UTC. If a witness has a later head, it is"
    " not of this log yet: prove the primary before you call it wrong."
)


class Command(BaseCommand):
    help = "Verify the ledger. Exits 1 and names the first wrong row, if there is one."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--all", action="store_true", help="name every wrong row")
        parser.add_argument(
            "--anchor",
            type=read_anchor,
            metavar="SEQUENCE:HASH",
            help="a seal recorded earlier, outside the database, that must still be there",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with snapshot():
            found, as_of = figures(), standby_as_of()
        bar = ProgressBar(self.stderr, "seals")
        with closing(verify(progress=bar.show, anchor=options["anchor"])) as wrong:
            problems = list(islice(wrong, None if options["all"] else 1))
        bar.clear()
        self.stdout.write(as_json(found, problems) if options["json"] else as_text(found, problems))
        if as_of is not None and not options["json"]:
            self.stdout.write(STANDBY.format(as_of=as_of))
        if problems:
            sys.exit(1)


def standby_as_of() -> datetime | None:
    """Return the time of the last commit that a standby has replayed; None on a primary."""
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_last_xact_replay_timestamp() WHERE pg_is_in_recovery()")
        row = cursor.fetchone()
    return row[0] if row else None


def read_anchor(text: str) -> Anchor:
    sequence, _, digest = text.partition(":")
    if not sequence.isdecimal() or len(digest) != 64:
        raise ArgumentTypeError("must be a sequence, a colon and 64 hexadecimal digits")
    return Anchor(sequence=int(sequence), hash=digest.lower())


def as_json(found: Figures, problems: list[str]) -> str:
    return json.dumps({"ok": not problems, **asdict(found), "problems": problems})


def as_text(found: Figures, problems: list[str]) -> str:
    if problems:
        return "\n".join(problems)
    return (
        f"The ledger is right: {found.transfers:,} transfers between {found.accounts:,} accounts,"
        f" {found.waiting:,} of them waiting for their seal.\n"
        f"Last seal: {found.sequence}:{found.hash}"
    )
