"""`manage.py declare_schema`: record what the migrations make, for proofs to compare with."""

import json
from typing import Any

from django.core.management.base import BaseCommand

from ledger.schema_evidence import declared_file, present_schema


class Command(BaseCommand):
    help = "Declare the present schema. For developers, on a freshly migrated database."

    def handle(self, **options: Any) -> None:
        file = declared_file()
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(present_schema(), indent=1, sort_keys=True) + "\n")
        self.stdout.write(f"{file.name} written.")
