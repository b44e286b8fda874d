"""What the service stands on, made to fail: a disk that fills up, a wire that is cut."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.webhooks.receiver import Receiver


def may_mount() -> bool:
    return os.geteuid() == 0


class SmallDisk:
    """A file system of its own, so small that it can be filled. Elsewhere a plain folder."""

    def __init__(self, place: Path, *, megabytes: int) -> None:
        self.place, self.filler = place, place / "filler"
        place.mkdir()
        self.is_real = may_mount() and _succeeds(
            "mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0711", "tmpfs", str(place)
        )

    def fill(self) -> None:
        """Leave no byte."""
        with self.filler.open("wb", buffering=0) as file:
            while True:
                left = os.statvfs(self.place)
                room = left.f_bavail * left.f_frsize
                if not room:
                    return
                with suppress(OSError):  # another process was quicker
                    os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, room)

    def clear(self) -> None:
        self.filler.unlink(missing_ok=True)

    def close(self) -> None:
        if self.is_real:
            _succeeds("umount", "--lazy", str(self.place))


class Cable:
    """A network of its own for a merchant's server and who calls it. Elsewhere that of all."""

    def __init__(self, log: Path) -> None:
        self.name = f"faults-{os.getpid()}"
        self.is_real = may_mount() and _succeeds("ip", "netns", "add", self.name)
        if self.is_real:
            self.mend()
        self.receiver = Receiver(log, within=self.within)

    @property
    def within(self) -> tuple[str, ...]:
        """Return the words before a command that runs there."""
        return ("ip", "netns", "exec", self.name) if self.is_real else ()

    def cut(self) -> None:
        """Leave no way to the server."""
        self._set("down")

    def mend(self) -> None:
        self._set("up")

    def _set(self, state: str) -> None:
        subprocess.run((*self.within, "ip", "link", "set", "lo", state), check=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.receiver.close()
        if self.is_real:
            _succeeds("ip", "netns", "delete", self.name)


def _succeeds(*words: str) -> bool:
    with suppress(FileNotFoundError):  # this machine has no such program
        return not subprocess.run(words, check=False, capture_output=True).returncode
    return False
