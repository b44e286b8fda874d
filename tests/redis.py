"""A Redis of one's own, on a socket, that keeps nothing."""

import shutil
import signal
import subprocess
import time
from pathlib import Path

from tests.orphans import ending_with_us

START_SECONDS = 60  # where others have the machine


class Redis:
    """One server, with the ways it can fail a client."""

    def __init__(self, directory: Path) -> None:
        self.socket = directory / "redis.sock"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Return the address for a cache or a client."""
        return f"unix://{self.socket}"

    @property
    def broker_url(self) -> str:
        """Return the address for Celery."""
        return f"redis+socket://{self.socket}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        program = shutil.which("redis-server") or "redis-server"
        place = ["--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.socket.parent)]
        self.process = subprocess.Popen(
            [*ending_with_us(signal.SIGKILL), program, *place, "--save", "", "--appendonly", "no"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > deadline:
                raise RuntimeError("The Redis of the test did not start.")
            time.sleep(0.02)

    def freeze(self) -> None:
        """Keep connections open, but answer nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Answer again."""
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """Kill the server."""
        if self.process:
            self._signal(signal.SIGKILL)
            self.process.wait(START_SECONDS)
            self.process = None

    def _signal(self, number: signal.Signals) -> None:
        assert self.process
        self.process.send_signal(number)

    def _answers(self) -> bool:
        import redis  # takes a while, and few tests need it

        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False
