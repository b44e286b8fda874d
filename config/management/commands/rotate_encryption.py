"""`manage.py rotate_encryption`: move stored secrets to the newest key, each bound to its row."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.key_rotation import (
    ColumnReport,
    give_up,
    left_on_keys,
    pins_on_earlier_peppers,
    release_unneeded,
    release_unneeded_peppers,
    rotate_columns,
)
from core.clock import utc_now
from core.key_register import (
    configured_ids,
    is_registered,
    missing_keys,
    newer_keys,
    note_keys,
)
from core.models import KeyPurpose

PROGRESS_EVERY = 10_000
NAMED = 20


class Command(BaseCommand):
    help = (
        "Encrypt every stored secret with the first key of ENCRYPTION_KEY, bound to its row, and "
        "count what is left on each other key and pepper, and what is not bound to a row. Can be "
        "interrupted and run again at any time. Exits 1 if something is left, cannot be decrypted, "
        "or is bound to another row."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="count only, write nothing")
        parser.add_argument(
            "--give-up",
            metavar="ID",
            help="start without this lost key: what it encrypted stays unreadable, PINs are reset",
        )
        parser.add_argument(
            "--back", action="store_true", help="move everything to key 1 although another is newer"
        )

    def handle(self, **options: Any) -> None:
        if options["give_up"]:
            self._give_up(options["give_up"])
            return
        if not options["check"]:
            self._refuse_earlier_key(back=options["back"])
            note_keys(now=utc_now())
        reports = rotate_columns(check_only=options["check"], note=self._progress)
        for report in reports:
            self._tell(report)
        faults = [
            *self._faulty(reports),
            *self._left(left_on_keys(reports)),
            *self._unbound(sum(report.unbound for report in reports)),
        ]
        pins = pins_on_earlier_peppers()
        self._tell_pins(pins)
        if not options["check"]:
            release_unneeded(reports)
            release_unneeded_peppers(pins)
        if faults:
            raise CommandError("\n".join(faults))

    def _refuse_earlier_key(self, *, back: bool) -> None:
        """Refuse if this shell's environment may be from before the rotation."""
        if back:
            return
        [first, *_] = configured_ids()[KeyPurpose.ENCRYPTION]
        if not is_registered(KeyPurpose.ENCRYPTION, first):
            raise CommandError(
                f"No process writes under key 1 ({first}), to which all would be moved. Restart "
                "them with it in front, or read the environment in a new shell; or add --back."
            )
        if newer := newer_keys():
            raise CommandError(
                f"{newer[-1]} is newer than key 1 ({first}), to which all would be moved. Read the "
                "environment in a new shell; or, to give up the newer key, add --back."
            )

    def _progress(self, label: str, seen: int) -> None:
        if seen % PROGRESS_EVERY == 0:
            self.stdout.write(f"{label}: {seen} rows …")
            self.stdout.flush()  # a file or a pipe would show it at the end

    def _tell(self, report: ColumnReport) -> None:
        total = report.by_key.total() + len(report.unreadable)
        self.stdout.write(f"{report.label}: {total} secrets, {report.moved} moved to key 1")

    def _left(self, left: dict[int, int]) -> list[str]:
        ids = configured_ids()[KeyPurpose.ENCRYPTION]
        self.stdout.write(f"Key 1 is {ids[0]}.")
        lines = [f"{rows} rows left on key {at + 1} ({ids[at]})" for at, rows in left.items()]
        for line in lines:
            self.stdout.write(line)
        return [f"{line}: run this again." for line in lines if not line.startswith("0 ")]

    def _unbound(self, count: int) -> list[str]:
        line = f"{count} secrets bound to no row"
        self.stdout.write(line)
        return [f"{line}: run this again."] if count else []

    def _faulty(self, reports: list[ColumnReport]) -> list[str]:
        named = [
            (f"{report.label}: {kind}: ", rows[:NAMED])
            for report in reports
            for kind, rows in (
                (f"no key reads {len(report.unreadable)} rows", report.unreadable),
                ("altered by another hand, and left", report.altered),
                ("copied from another row, and left", report.misplaced),
            )
        ]
        return [heading + ", ".join(rows) for heading, rows in named if rows]

    def _tell_pins(self, pins: dict[str, int]) -> None:
        for pepper_id, count in sorted(pins.items()):
            name = f"pepper {pepper_id}" if pepper_id else "a pepper from before ids were kept"
            self.stdout.write(f"{count} PINs left on {name}: each moves when it is next entered")

    def _give_up(self, key_id: str) -> None:
        lost = [entry for entry in missing_keys() if entry.key_id == key_id]
        if not lost:
            raise CommandError(f"{key_id} is not missing: only a key that is not here is given up.")
        for entry in lost:
            pins = give_up(entry)
            self.stdout.write(f"{entry} is given up; {pins} PINs have to be reset.")
