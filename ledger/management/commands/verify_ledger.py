"""`manage.py verify_ledger`: prove every balance, every seal and every check of LEDGER_CHECKS."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand

from ledger.integrity import Anchor, Figures, figures, verify
from ledger.snapshot import snapshot

BAR_WIDTH = 40


class Command(BaseCommand):
    help = "Prove the ledger. Exits 1 and names the first row that is wrong."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="answer as one JSON object")
        parser.add_argument("--all", action="store_true", help="name every wrong row")
        parser.add_argument(
            "--anchor",
            type=read_anchor,
            metavar="SEQUENCE:HASH",
            help="a seal noted earlier, outside the database, that must still be there",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with snapshot():
            found = figures()
        wrong = verify(progress=self.show_progress, anchor=options["anchor"])
        problems = list(islice(wrong, None if options["all"] else 1))
        self.clear_progress()
        self.stdout.write(as_json(found, problems) if options["json"] else as_text(found, problems))
        if problems:
            sys.exit(1)

    def show_progress(self, done: int, total: int) -> None:
        if self.stderr.isatty():
            filled = BAR_WIDTH * done // total
            bar = "#" * filled + "." * (BAR_WIDTH - filled)
            self.stderr.write(f"\r[{bar}] {done:,} of {total:,} seals", ending="")

    def clear_progress(self) -> None:
        if self.stderr.isatty():
            self.stderr.write("\r\033[K", ending="")


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
