"""A PostgreSQL of one's own: in a directory of its own, on a socket, never as root."""

import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.orphans import ending_with_us

QUICK = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
}
ALWAYS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "max_wal_senders": "0",
    "wal_level": "minimal",
    "log_min_messages": "fatal",
}
START_SECONDS = 120  # where others have the machine


class PostgresMissing(Exception):
    """There is no PostgreSQL server on this machine."""


def programs() -> Path:
    """Return the directory of `initdb` and `postgres`. Raises PostgresMissing."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version)
    on_path = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    for folder in [*reversed(installed), *on_path]:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise PostgresMissing("PostgreSQL is not installed; `make system` installs it on Debian.")


def _version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdigit() else 0


class Postgres:
    """One server. `durable` keeps its promises over a crash, for the tests that crash it."""

    def __init__(self, directory: Path, *, durable: bool = False) -> None:
        self.directory = directory
        self.options = ALWAYS | ({} if durable else QUICK)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgres://postgres@/postgres?host={self.directory}"

    def create(self) -> None:
        """Make an empty cluster."""
        self.make_directory()
        command = [programs() / "initdb", "--no-sync", "--auth=trust", "--username=postgres"]
        place = ["--encoding=UTF8", "--locale=C.UTF-8", "-D", self.directory / "data"]
        self._run([*command, *place])

    def create_like(self, data: Path) -> None:
        """Make a copy of the files of a cluster that does not run."""
        self.make_directory()
        shutil.copytree(data, self.directory / "data")
        for folder, _, names in os.walk(self.directory / "data"):
            for name in ("", *names):
                self.own(Path(folder) / name)

    def make_directory(self) -> None:
        """Make the directory of a server whose files another makes."""
        self.directory.mkdir(mode=0o700, parents=True)
        self.own(self.directory)

    def own(self, path: Path) -> None:
        """Give a file to the user whom the server runs as."""
        if user := _user():
            os.chown(path, user.pw_uid, user.pw_gid)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = [f"--{name}={value}" for name, value in self.options.items()]
        place: list[Any] = ["-D", self.directory / "data", "-k", self.directory]
        log = (self.directory / "log").open("ab")
        with log:
            self.process = subprocess.Popen(
                [*ending_with_us(signal.SIGQUIT), programs() / "postgres", *place, *settings],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                **as_user(),
            )
        self.wait_until_ready()

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop the server: SIGQUIT at once, as a crash would; SIGINT in order."""
        if self.process:
            self.process.send_signal(how)
            self.process.wait(START_SECONDS)
            self.process = None

    def remove(self) -> None:
        """Stop the server and delete its directory."""
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _run(self, command: list[Any]) -> None:
        subprocess.run(command, check=True, capture_output=True, cwd="/", **as_user())

    def wait_until_ready(self) -> None:
        """Wait until it answers. Raises RuntimeError where it has ended."""
        deadline = time.monotonic() + START_SECONDS
        ask: list[Any] = [programs() / "pg_isready", "-q", "-h", self.directory]
        while subprocess.run(ask, check=False).returncode:
            if time.monotonic() > deadline or (self.process and self.process.poll() is not None):
                raise RuntimeError((self.directory / "log").read_text())
            time.sleep(0.05)


def _user() -> pwd.struct_passwd | None:
    """Return whom to run the server as: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def as_user() -> dict[str, Any]:
    """Return the keywords of `subprocess` that run a program as the server's user."""
    user = _user()
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
