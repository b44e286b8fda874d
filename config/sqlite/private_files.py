"""The files of an SQLite database are closed to the other accounts of the machine."""

import os
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE

OWNERS_ONLY = 0o600
OF_OTHERS = 0o007
BESIDE = ("", "-wal", "-shm", "-next", "-turn")


def make_private(path: str) -> None:
    """Create a database file for its owner only, and take it from others if it is not new.

    Others could sign in with the sessions in it, or keep the turn to write. What the group may do
    is the operator's choice. SQLite gives the files that it adds the permissions of the first.
    """
    if path.startswith((":", "file:")):
        return  # in memory
    # One that is there is never opened: closing it would release the locks of this process.
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, OWNERS_ONLY))
    for file in (Path(f"{path}{suffix}") for suffix in BESIDE):
        with suppress(OSError):
            mode = S_IMODE(file.stat().st_mode)
            if mode & OF_OTHERS:
                file.chmod(mode & ~OF_OTHERS)


def open_private(path: str, flags: int) -> int:
    """Open a file that only its owner may, if it is new: an `opener` for `open`."""
    return os.open(path, flags, OWNERS_ONLY)
