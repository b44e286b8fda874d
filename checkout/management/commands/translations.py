"""`manage.py translations`: merge new texts into the translations, and compile them."""

from typing import Any

from django.core.management.base import BaseCommand

from checkout.catalogs import LANGUAGES, texts, update


class Command(BaseCommand):
    help = (
        "Takes new texts of pages, mails and text messages into checkout/locale and compiles the "
        "files that Django reads. Run it after changing a sentence; then translate what is "
        "missing, and run it again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        current = texts()
        for language in LANGUAGES:
            missing = update(language, current)
            self.stdout.write(
                f"{language}: {missing} missing" if missing else f"{language}: complete"
            )
