"""Everything a developer needs, in one terminal: `make run`, or `python -m config.local.serve`.

The web server and the worker run together: Ctrl-C stops both, and if one ends, so does the other.
This process does not load Django, so that a second start is quick: `manage.py prepare` and
`manage.py welcome` do that, if something has changed.
"""

import hashlib
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

from config.environment import BASE_DIR, HEAD_BYTES, VARIABLES, env
from config.local.processes import Crash, Processes

POLL_SECONDS = 0.05
PREPARED = BASE_DIR / "var/prepared"
WELCOME = BASE_DIR / "var/welcome"
STARTED_BY = os.getppid()
MANAGE = [sys.executable, str(BASE_DIR / "manage.py")]


def main() -> None:
    """Prepare what has changed, then serve until asked to stop."""
    _refuse_taken_port()
    _prepare()
    try:
        with Processes() as processes:
            processes.start("web server", web_command())
            _serve(processes)
    except Crash as crash:
        sys.exit(str(crash))


def web_command() -> list[str]:
    """Return the command line of the web server."""
    counts = {"--workers": env("WEB_WORKERS"), "--blocking-threads": env("WEB_THREADS")}
    place = {"--host": env("HOST"), "--port": env("PORT"), "--http1-buffer-size": HEAD_BYTES}
    rest = {"--interface": "wsgi", "--http": "1", "--log-level": "error"}
    options = [str(word) for pair in (place | counts | rest).items() for word in pair]
    return [sys.executable, "-m", "granian", *options, "--no-ws", "config.wsgi:application"]


def _serve(processes: Processes) -> None:
    while not _answers():
        if processes.watch(POLL_SECONDS):
            return
    processes.start("worker", [*MANAGE, "worker"])
    sys.stdout.write(_welcome())
    sys.stdout.flush()
    while not processes.watch(1) and not _is_orphaned():
        pass
    sys.stdout.write("Stopping.\n")


def _is_orphaned() -> bool:
    """Return whether the `make` that started us was killed: Ctrl-C would no longer reach us."""
    return "MAKELEVEL" in os.environ and os.getppid() != STARTED_BY


def _prepare() -> None:
    """Migrate and create demo data, if the database or the code has changed since the last run."""
    state = _state()
    if PREPARED.exists() and PREPARED.read_text() == state and _database_is_here():
        return
    sys.stdout.write("Bringing the database up to date ...\n")
    sys.stdout.flush()
    done = subprocess.run([*MANAGE, "prepare"], check=False)  # noqa: S603  # our own command line
    if done.returncode:
        sys.exit(done.returncode)
    WELCOME.unlink(missing_ok=True)
    PREPARED.parent.mkdir(exist_ok=True)
    PREPARED.write_text(state)


def _state() -> str:
    """Return a digest of what `prepare` depends on."""
    names = sorted(str(path) for path in BASE_DIR.glob("*/migrations/*.py"))
    packages = (BASE_DIR / "requirements/base.txt").read_text()
    text = "\n".join([env("DATABASE_URL"), str(env("DEVELOPMENT_MODE")), packages, *names])
    return hashlib.sha256(text.encode()).hexdigest()


def _welcome() -> str:
    """Return the welcome text, from the stored file if no setting has changed."""
    settings = repr({name: env(name) for name in sorted(VARIABLES)})
    state = hashlib.sha256(f"{_state()} {settings}".encode()).hexdigest()
    kept = WELCOME.read_text() if WELCOME.exists() and _database_is_here() else ""
    if kept.startswith(state):
        return kept.removeprefix(f"{state}\n")
    welcome = subprocess.run([*MANAGE, "welcome"], stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603  # our own
    WELCOME.touch(mode=0o600)  # it contains passwords
    WELCOME.write_text(f"{state}\n{welcome.stdout}")
    return welcome.stdout


def _database_is_here() -> bool:
    return not env("DATABASE_URL") and Path(BASE_DIR / "var/db.sqlite3").exists()


def _refuse_taken_port() -> None:
    with socket.socket(socket.AF_INET6 if ":" in env("HOST") else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((env("HOST"), env("PORT")))
        except OSError as error:
            sys.exit(
                f"Port {env('PORT')} is not free ({error.strerror}). "
                "Take another one: PORT=8001 make run"
            )


def _answers() -> bool:
    host = "localhost" if env("HOST") in ("0.0.0.0", "::") else env("HOST")  # noqa: S104
    try:
        with urllib.request.urlopen(f"http://{host}:{env('PORT')}/healthz", timeout=1):
            return True
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    main()
