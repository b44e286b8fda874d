"""`manage.py run`: everything a developer needs, in one terminal. `make run` calls it."""

import socket
import sys
import urllib.error
import urllib.request
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.checks import refuse_unsafe
from config.environment import BASE_DIR, env
from config.processes import Crash, Processes
from config.welcome import welcome
from merchants.models import Merchant

START_SECONDS = 30
LOOK_SECONDS = 0.1


class Command(BaseCommand):
    help = (
        "Bring the database up to date, make demo data once, and run the web server and the "
        "worker together. Ctrl-C stops both; if one ends by itself, so does the other."
    )

    def handle(self, **options: Any) -> None:
        refuse_unsafe()
        _refuse_taken_port()
        (BASE_DIR / "var").mkdir(exist_ok=True)
        call_command("migrate", verbosity=0, interactive=False)
        if settings.DEVELOPMENT_MODE:
            self._make_demo()
        try:
            with Processes() as processes:
                processes.start("web server", web_command())
                processes.start("worker", [sys.executable, "manage.py", "worker"])
                self._serve(processes)
        except Crash as crash:
            raise CommandError(str(crash)) from None

    def _make_demo(self) -> None:
        if not Merchant.objects.exists():
            self.stdout.write("Demo data, made once. The key is shown only here:")
            call_command("demo", stdout=self.stdout)
        staff = get_user_model().objects
        password = env.str("DEMO_PASSWORD", default="")
        if password and not staff.exists():
            staff.create_superuser("admin", password=password)

    def _serve(self, processes: Processes) -> None:
        for _ in range(int(START_SECONDS / LOOK_SECONDS)):
            if processes.watch(LOOK_SECONDS):
                return
            if _answers():
                self.stdout.write(welcome())
                break
        while not processes.watch(1):
            pass
        self.stdout.write("Stopping.")


def web_command() -> list[str]:
    """Return the command line of the web server."""
    counts = {"--workers": env("WEB_WORKERS"), "--blocking-threads": env("WEB_THREADS")}
    place = {"--host": env("HOST"), "--port": settings.PORT}
    rest = {"--interface": "wsgi", "--log-level": "error"}
    options = [str(word) for pair in (place | counts | rest).items() for word in pair]
    return [sys.executable, "-m", "granian", *options, "--no-ws", "config.wsgi:application"]


def _refuse_taken_port() -> None:
    with socket.socket(socket.AF_INET6 if ":" in env("HOST") else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((env("HOST"), settings.PORT))
        except OSError as error:
            raise CommandError(
                f"Port {settings.PORT} is not free ({error.strerror}). "
                "Take another one: PORT=8001 make run"
            ) from None


def _answers() -> bool:
    host = "localhost" if env("HOST") in ("0.0.0.0", "::") else env("HOST")  # noqa: S104
    try:
        with urllib.request.urlopen(f"http://{host}:{settings.PORT}/healthz", timeout=1):
            return True
    except (urllib.error.URLError, OSError):
        return False
