"""`manage.py checkpoint_key`: make the key that signs the head of the log, or its successor."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.signed_notes import NoteSigner

NO_KEY = (
    "The first key of CHECKPOINT_KEY cannot be read ({}). Put back the one that has signed; if "
    "none has signed a head yet, run this with CHECKPOINT_KEY= in front of the command."
)


class Command(BaseCommand):
    help = "Create a key that signs checkpoints: the first one, or one in addition to those in use."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", help="a different name for the log, after a restore")

    def handle(self, **options: Any) -> None:
        before = settings.CHECKPOINT_KEY
        host = urlsplit(settings.BASE_URL).hostname
        try:
            name = NoteSigner.parse(before.split(",")[0]).name if before else f"{host}/ledger"
        except ValueError as error:
            raise CommandError(NO_KEY.format(error)) from None
        signer = NoteSigner.generate(options["name"] or name)
        value = f"{signer},{before}" if before else str(signer)
        self.stdout.write(f"CHECKPOINT_KEY={value}\n\nFor witnesses: {signer.verifier}")
