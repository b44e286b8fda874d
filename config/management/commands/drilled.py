"""`manage.py drilled`: record that a backup was just restored and proven."""

from typing import Any

from django.core.management.base import BaseCommand

from core.task_runs import note_drill


class Command(BaseCommand):
    help = (
        "Note that a backup was restored and proven just now: the alert RestoreNotDrilled goes by "
        "it. `deploy/nightly` says it by itself; a backup of another kind says it after its drill."
    )

    def handle(self, **options: Any) -> None:
        note_drill()
        self.stdout.write("Noted.")
