"""`manage.py preview`: every screen of the checkout on one page, to read and inspect."""

import logging
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.management.base import BaseCommand, CommandError
from django.core.management.utils import get_random_secret_key
from django.core.servers.basehttp import run

DEFAULT_PORT = 8090
HOST = "127.0.0.1"
# The screens need no secrets, no database and no collected static files.
OWN_SETTINGS = {
    "ALLOWED_HOSTS": [HOST, "localhost"],
    "ROOT_URLCONF": "config.local.previews",
    "STATIC_ROOT": None,
    "VISITOR_SECONDS_PER_NETWORK": 0,
    "WHITENOISE_USE_FINDERS": True,
}
FILES = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}


class Command(BaseCommand):
    help = "Serve every screen of the checkout with sample content, on this machine only."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="default: 8090")

    def handle(self, **options: Any) -> None:
        for name, value in OWN_SETTINGS.items():
            setattr(settings, name, value)
        settings.SECRET_KEY = get_random_secret_key()
        settings.STORAGES = settings.STORAGES | FILES
        logging.disable(logging.INFO)
        port = options["port"]
        self.stdout.write(f"http://{HOST}:{port}/preview?lang=ht&width=390 (Ctrl-C stops it)")
        try:
            run(HOST, port, WSGIHandler(), threading=True)
        except OSError as error:
            message = f"Port {port}: {error.strerror}. Name another with --port."
            raise CommandError(message) from None
        except KeyboardInterrupt:
            return
