"""`manage.py preview`: every screen of the checkout on one page, to be read and looked at."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

DEFAULT_PORT = 8090


class Command(BaseCommand):
    help = "Serve every screen of the checkout with sample content, on this machine only."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="default: 8090")

    def handle(self, **options: Any) -> None:
        settings.ROOT_URLCONF = "config.local.previews"
        settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
        port = options["port"]
        self.stdout.write(f"http://127.0.0.1:{port}/preview?lang=ht&width=390")
        call_command("runserver", f"127.0.0.1:{port}", use_reloader=False, skip_checks=True)
