"""`manage.py prepare`: get the database ready for the service."""

from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from config.checks import refuse_unsafe
from config.environment import BASE_DIR
from ledger.signed_row_checks import log_has_begun
from merchants.models import Merchant


class Command(BaseCommand):
    help = (
        "Bring the database up to date; in development, create demo data, and staff of each role."
    )

    def handle(self, **options: Any) -> None:
        refuse_unsafe()
        (BASE_DIR / "var").mkdir(exist_ok=True)
        call_command("migrate", verbosity=0, interactive=False)
        if not settings.DEVELOPMENT_MODE:
            return
        if not log_has_begun():
            call_command("sign_ledger", stdout=StringIO())
        if not Merchant.objects.exists():
            self.stdout.write("Demo data, created once; the key is only shown here:\n\n")
            call_command("demo", stdout=self.stdout)
        call_command("create_staff", development=True, stdout=StringIO())
