"""`manage.py drilled`: record that a backup was just restored and proven."""

from typing import Any

from django.core.management.base import BaseCommand

from core.task_runs import note_drill


class Command(BaseCommand):
    help = (
        "Record that a backup has just been restored and verified, so that RestoreNotDrilled does "
        "not fire. `deploy/nightly` does it by itself; for other backups, run it after the drill."
    )

    def handle(self, **options: Any) -> None:
        note_drill()
        self.stdout.write("Noted.")
