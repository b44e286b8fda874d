"""`manage.py verify_audit`: prove that no audit entry was changed or removed."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from backoffice.audit_verification import head_of_trail, verify_audit
from core.progress_bar import ProgressBar
from ledger.management.commands.verify_ledger import read_anchor
from ledger.snapshot import snapshot


class Command(BaseCommand):
    help = "Prove the audit trail of staff. Exits 1 and names what is wrong."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--anchor",
            type=read_anchor,
            metavar="NUMBER:HASH",
            help="an entry recorded earlier, outside the database",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        anchor = options["anchor"]
        noted = (anchor.sequence, anchor.hash) if anchor else None
        bar = ProgressBar(self.stderr, "entries")
        with snapshot():
            problems = list(verify_audit(anchor=noted, progress=bar.show))
            last, digest = head_of_trail()
        bar.clear()
        if options["json"]:
            found = {"ok": not problems, "entries": last, "hash": digest, "problems": problems}
            self.stdout.write(json.dumps(found))
        elif problems:
            self.stdout.write("\n".join(problems))
        else:
            self.stdout.write(f"The audit trail is whole: {last:,} entries.\nLast: {last}:{digest}")
        if problems:
            sys.exit(1)
