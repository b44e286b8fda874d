"""`manage.py welcome`: the URLs of the service, and a command to paste."""

from typing import Any

from django.core.management.base import BaseCommand

from config.local.welcome import welcome


class Command(BaseCommand):
    help = "Print the addresses of the running service, and a command to try it."
    requires_system_checks = ()

    def handle(self, **options: Any) -> None:
        self.stdout.write(welcome())
