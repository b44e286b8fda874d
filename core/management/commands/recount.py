"""`manage.py recount`: verify the counts that lists show as their `total`, and correct them."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string

from core.counts import CountedList
from core.recounting import (
    correct_counts,
    correct_period_counts,
    correct_totals,
    wrong_counts,
    wrong_totals,
)


class Command(BaseCommand):
    help = (
        "Verify the stored counts of all lists against their rows, and report each that is wrong."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="correct what is wrong")

    def handle(self, **options: Any) -> None:
        lists: list[CountedList] = [import_string(path) for path in settings.COUNTED_LISTS]
        wrong = 0
        for counted in lists:
            for problem in wrong_counts(counted):
                wrong += 1
                self.stderr.write(problem)
            if options["repair"]:
                correct_counts(counted)
                if counted.by_day:
                    correct_period_counts(counted)
        for problem in wrong_totals():
            wrong += 1
            self.stderr.write(problem)
        if options["repair"]:
            correct_totals()
        if wrong and not options["repair"]:
            raise CommandError(f"{wrong} counts are wrong: --repair corrects them.")
        self.stdout.write(f"{wrong} counts corrected." if wrong else "All counts are right.")
