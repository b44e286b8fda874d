"""Infrastructure that can be made to fail: a disk that fills up, a network that is cut."""

import os
import subprocess
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

from tests.webhooks.receiver import Receiver


def may_mount() -> bool:
    return os.geteuid() == 0


class SmallDisk:
    """A file system small enough to be filled. Without root, a plain folder."""

    def __init__(self, place: Path, *, megabytes: int) -> None:
        self.place, self.filler = place, place / "filler"
        place.mkdir()
        self.is_real = may_mount() and _succeeds(
            "mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0711", "tmpfs", str(place)
        )

    def fill(self) -> None:
        """Fill the disk to the last byte."""
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
    """A network namespace for a merchant's server and its callers. Without root, the host's."""

    def __init__(self, log: Path) -> None:
        self.name = f"faults-{os.getpid()}"
        self.is_real = may_mount() and _succeeds("ip", "netns", "add", self.name)
        with ExitStack() as unless_ready:
            unless_ready.callback(self._remove)
            if self.is_real:
                self.mend()
            self.receiver = Receiver(log, within=self.within)
            unless_ready.pop_all()

    @property
    def within(self) -> tuple[str, ...]:
        """The command prefix to run a command in this network."""
        return ("ip", "netns", "exec", self.name) if self.is_real else ()

    def cut(self) -> None:
        """Cut the connection to the server."""
        self._set("down")

    def mend(self) -> None:
        self._set("up")

    def _set(self, state: str) -> None:
        subprocess.run((*self.within, "ip", "link", "set", "lo", state), check=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.receiver.close()
        self._remove()

    def _remove(self) -> None:
        if self.is_real:
            _succeeds("ip", "netns", "delete", self.name)


def _succeeds(*words: str) -> bool:
    with suppress(FileNotFoundError):  # this machine has no such program
        return not subprocess.run(words, check=False, capture_output=True).returncode
    return False
