"""Upgrade from a version to this one and back under load, and count the failures.

`python -m bench.releases COMMIT`: runs the web server and worker of that commit on PostgreSQL; then
this version's migrations next to them; both versions at once; then the old one alone again. At the
end every request is repeated with its key, and this version proves the ledger. Exits 1 if a
request or the proof failed.
"""

import argparse
import io
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.endings import end_in_order
from bench.output import say
from bench.traders import Trader, Transcript
from tests.postgres import Postgres
from tests.webhooks.stack import ROOT, Stack

CLIENTS = 4
PROOF_SECONDS = 300


class OtherVersion(Stack):
    """The service, run from the code in another folder."""

    def __init__(self, directory: Path, code: Path, url: str) -> None:
        self.root = code
        super().__init__(directory, DATABASE_URL=url)


@contextmanager
def trading(stack: Stack, seed: int, transcript: Transcript) -> Iterator[None]:
    """Run clients against one version."""
    traders = [Trader(seed + n, seed, stack.port, stack.key, transcript) for n in range(CLIENTS)]
    for trader in traders:
        trader.start()
    yield
    for trader in traders:
        trader.over.set()
    for trader in traders:
        trader.join()


def unpack(commit: str, place: Path) -> Path:
    """Extract the files of a commit into a folder."""
    command = ["git", "archive", commit]
    packed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(place, filter="data")
    return place


def run(commit: str, *, seconds: float) -> Counter[str]:
    """Return the number of failures, by phase."""
    failed: Counter[str] = Counter()
    with TemporaryDirectory(prefix="payments-releases-") as name, ExitStack() as closing:
        directory = Path(name)
        directory.chmod(0o711)
        postgres = Postgres(directory / "pg", durable=True)
        closing.callback(postgres.remove)
        postgres.create()
        postgres.start()
        for version in ("old", "new"):
            (directory / f"run-{version}").mkdir()
        code = unpack(commit, directory / "old")
        old = closing.enter_context(OtherVersion(directory / "run-old", code, postgres.url))
        old.start_web()
        old.start_worker()
        old.register("https://shop.example.com/hooks")
        transcript = Transcript()
        with trading(old, 100, transcript):
            time.sleep(seconds)
            _count("before", transcript, failed)
            new = closing.enter_context(Stack(directory / "run-new", DATABASE_URL=postgres.url))
            _count("while it is migrated", transcript, failed)
            new.key = old.key
            serving = [new.start_web(), new.start_worker()]
            with trading(new, 200, transcript):
                time.sleep(seconds)
            _count("both at once", transcript, failed)
            for process in serving:
                new.kill(process)
            time.sleep(seconds)
            _count("back at the old one", transcript, failed)
        last = Trader(300, 300, old.port, old.key, transcript)
        for key in sorted(transcript.answers):
            last.repeat(key)
        failed["repeats with other bytes"] = len(transcript.changed)
        failed["refused by the proof"] = new.run("manage.py", "verify_ledger").wait(PROOF_SECONDS)
        sys.stdout.write(new.words() if failed.total() else "")
    return failed


def _count(phase: str, transcript: Transcript, failed: Counter[str]) -> None:
    """Print the statuses of a phase; no response, or 5xx, counts as a failure."""
    with transcript.lock:
        statuses = Counter(exchange.status for exchange in transcript.exchanges)
        transcript.exchanges.clear()
    failed[phase] = sum(count for status, count in statuses.items() if not 0 < status < 500)
    say(f"{phase}: {dict(sorted(statuses.items()))}")


def main() -> None:
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="the version before")
    parser.add_argument("--seconds", type=float, default=10, help="how long each phase takes")
    options = parser.parse_args()
    failed = run(options.commit, seconds=options.seconds)
    sys.stdout.write(f"{failed.total()} failed: {dict(failed)}\n")
    sys.exit(1 if failed.total() else 0)


if __name__ == "__main__":
    main()
