"""`manage.py worker`: the background work of a service that has no broker."""

import signal
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils.module_loading import import_string

from config.schedule import SCHEDULE
from config.start_checks import check_start
from config.worker import Worker, run
from core.clock_check import accept_clock
from core.commands import RefusableCommand
from core.task_runs import recorder

STOP_SECONDS = 20


class Command(RefusableCommand):
    help = (
        "Run the background tasks (webhooks, expiry, e-mails, sealing, payouts) in one process, "
        "without a broker. Ctrl-C or SIGTERM stops it after the tasks in progress."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="run each task once, then exit")

    def handle(self, *, once: bool, **options: Any) -> None:
        check_start()
        if once or settings.DEVELOPMENT_MODE:
            accept_clock()  # a person has started it, not a supervisor
        if once:
            self._run_once()
        else:
            self._work()

    def _run_once(self) -> None:
        went = {name: run(name, import_string(item.task)) for name, item in SCHEDULE.items()}
        recorder.write("worker", every=0)  # TaskLate goes by it, and there is no later turn
        if failed := [name for name, well in went.items() if not well]:
            raise CommandError(f"These failed: {', '.join(failed)}. The log says why.")

    def _work(self) -> None:
        worker = Worker(SCHEDULE)
        signals = {signal.SIGTERM, signal.SIGINT}
        # Blocked in every thread and awaited here, so that no handler interrupts a task.
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        worker.start()
        self.stdout.write(f"The worker has started: {len(SCHEDULE)} tasks.")
        signal.sigwait(signals)
        worker.stop()
        # A second signal stops it at once.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        if late := worker.join(STOP_SECONDS):
            self.stderr.write(f"Did not finish in {STOP_SECONDS} s: {', '.join(late)}")
            sys.exit(1)
