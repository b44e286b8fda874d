"""The migrations that were released, each with its hash: those are never written anew.

`make released` enters the ones that are not there yet: main may be in use, so that one is released
once it is there. A database that has run a migration never runs it again.
"""

import hashlib
from pathlib import Path

from tests.source_tree import ROOT

LIST = ROOT / "tests/released_migrations.txt"


def hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def released() -> dict[str, str]:
    """Return the hash of each released migration, by its path."""
    lines = LIST.read_text().splitlines()
    return {path: digest for digest, path in (line.split("  ") for line in lines)}


def main() -> None:
    """Enter every migration that there is, and leave what is entered as it is."""
    there = {
        str(path.relative_to(ROOT)): hash_of(path) for path in ROOT.glob("*/migrations/[0-9]*.py")
    }
    entries = sorted((there | released()).items())
    LIST.write_text("".join(f"{digest}  {path}\n" for path, digest in entries))


if __name__ == "__main__":
    main()
