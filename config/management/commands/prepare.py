"""`manage.py prepare`: get the database ready for the service."""

from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.core.management.commands import migrate

from config.checks import refuse_unsafe
from config.environment import BASE_DIR
from ledger.signed_row_checks import log_has_begun
from merchants.models import Merchant


class Migration(migrate.Command):
    """Django's command, which on a terminal says how far it is: all of them take a while."""

    applied = 0

    def migration_progress_callback(self, action: str, *_: Any, **__: Any) -> None:
        if action == "apply_success" and self.stdout.isatty():
            self.applied += 1
            self.stdout.write(f"\r\033[KMigrations applied: {self.applied} …", ending="")
            self.stdout.flush()

    def handle(self, *arguments: Any, **options: Any) -> None:
        super().handle(*arguments, **options)
        if self.applied:
            self.stdout.write("\r\033[K", ending="")


class Command(BaseCommand):
    help = (
        "Bring the database up to date; in development, create demo data, and staff of each role."
    )

    def handle(self, **options: Any) -> None:
        refuse_unsafe()
        (BASE_DIR / "var").mkdir(exist_ok=True)
        if not settings.DEVELOPMENT_MODE:
            _migrate()
            return
        with self._alone():
            _migrate()
            self._fill()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Wait until no other terminal prepares the database; `make demo` may follow `make run`."""
        with (BASE_DIR / "var/preparing.lock").open("w") as file:
            try:
                flock(file, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                self.stdout.write("Another terminal is preparing the database: waiting for it ...")
                self.stdout.flush()
                flock(file, LOCK_EX)
            yield

    def _fill(self) -> None:
        if not log_has_begun():
            call_command("sign_ledger", stdout=StringIO())
        if not Merchant.objects.exists():
            self.stdout.write("Demo data, created once; the key is only shown here:\n\n")
            call_command("demo", stdout=self.stdout)
        call_command("create_staff", development=True, stdout=StringIO())


def _migrate() -> None:
    call_command(Migration(), verbosity=0, interactive=False)
