"""What the management commands share: a refusal prints one line, not a traceback."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.clock import ClockRefused
from core.errors import ApiError


class RefusableCommand(BaseCommand):
    """A command that ends with the message of the error that refused it."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except ApiError as error:
            raise CommandError(f"{error.message} {error.details}".strip()) from None
        except ClockRefused as refusal:
            raise CommandError(str(refusal)) from None
