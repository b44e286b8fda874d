"""A night beside another, a drill that is interrupted or asked for too much; no server starts."""

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.postgres import Postgres
from tests.source_tree import ROOT

WAIT_SECONDS = 60
MANIFEST = """{ "PostgreSQL-Backup-Manifest-Version": 1,
"Files": [
{ "Path": "backup_label", "Size": 226, "Last-Modified": "2026-01-31 02:30:00 GMT" },
{ "Path": "PG_VERSION", "Size": 3, "Last-Modified": "2025-01-01 00:00:00 GMT" }
]}
"""
STARTING = '#!/bin/sh\ncase "$*" in *start*) touch "{started}" && exec sleep 60 ;; esac\n'


@pytest.fixture
def places() -> Iterator[Path]:
    """Return the folder of the backups, the archive, the drill and PostgreSQL's programs."""
    with TemporaryDirectory(prefix="payments-drill-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for place in ("backups", "wal", "drill", "programs"):
            (folder / place).mkdir()
            Postgres(folder).own(folder / place)
        yield folder


def environment(places: Path) -> dict[str, str]:
    return {
        "PATH": f"{places / 'programs'}{os.pathsep}{os.environ['PATH']}",
        "PRIMARY": f"host={places} user=postgres",
        "BACKUPS": str(places / "backups"),
        "WAL": str(places / "wal"),
        "DRILL": str(places / "drill"),
        "PGUSER": "payments",
        "PGDATABASE": "payments",
    }


def back_up(places: Path, *, manifest: str = MANIFEST) -> None:
    """Make a backup that PostgreSQL began at half past two, of which only the labels are there.

    Its server is in China, whose time the label has; to `date`, CST is that of Chicago.
    """
    (places / "backups/one").mkdir(mode=0o755)
    (places / "backups/one/PG_VERSION").write_text("15\n")
    (places / "backups/one/backup_label").write_text("START TIME: 2026-01-31 10:30:00 CST\n")
    (places / "backups/one/backup_manifest").write_text(manifest)


def restoring(places: Path, *, until: str) -> list[str]:
    """Return the command that restores that backup to an instant."""
    named = {"backup": places / "backups/one", "wal": places / "wal", "into": places / "drill"}
    words = [word for name, place in named.items() for word in (f"--{name}", str(place))]
    return [f"{ROOT}/deploy/restore", *words, "--until", until]


def test_a_night_beside_another_ends_before_it_removes_anything(places: Path) -> None:
    unfinished = places / "backups/2026-01-31T023000.part"
    unfinished.mkdir()

    folder = os.open(places / "drill", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)  # as the other run has it
    done = subprocess.run(
        [ROOT / "deploy/nightly"],
        env=environment(places),
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    os.close(folder)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Another run is under way: it holds {places / 'drill'}.\n"
    assert unfinished.exists()


@pytest.mark.parametrize("ends_it", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_drill_leaves_no_copy(places: Path, ends_it: signal.Signals) -> None:
    back_up(places)
    started = places / "programs/started"
    program = places / "programs/pg_ctl"
    program.write_text(STARTING.format(started=started))
    program.chmod(0o755)
    # A run in the background begins with signals ignored, and a shell cannot trap such again.
    drill = subprocess.Popen(
        ["env", "--default-signal", *restoring(places, until="now")],
        env=environment(places),
        start_new_session=True,
    )
    deadline = time.monotonic() + WAIT_SECONDS
    while not started.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert (places / "drill/data/PG_VERSION").exists()

    os.killpg(drill.pid, ends_it)  # a terminal's Ctrl-C reaches all of them

    assert drill.wait(WAIT_SECONDS) == 130
    assert not (places / "drill/data").exists()


def test_the_server_reads_an_instant_without_an_offset_as_the_script_does(places: Path) -> None:
    back_up(places)
    said = places / "programs/said"
    program = places / "programs/pg_ctl"
    program.write_text(f'#!/bin/sh\necho "$*" >> "{said}"\nexit 1\n')
    program.chmod(0o755)

    done = subprocess.run(
        restoring(places, until="2026-01-31 09:30:00"),
        env=environment(places),
        capture_output=True,
        timeout=WAIT_SECONDS,
    )

    assert done.returncode == 1
    assert "-c recovery_target_time='2026-01-31 09:30:00'" in said.read_text()
    assert "-c timezone='UTC'" in said.read_text()


@pytest.mark.parametrize(
    ("until", "said"),
    [
        (
            "2026-01-31 02:29:59.9+00",
            "was begun at 2026-01-31 02:30:00 GMT, after 2026-01-31 02:29:59.9+00: only an earlier "
            "backup can be restored to then.",
        ),
        ("last Caturday", "date: invalid date"),
    ],
)
def test_an_instant_that_a_backup_does_not_reach_is_refused(
    places: Path, until: str, said: str
) -> None:
    back_up(places)

    done = subprocess.run(
        restoring(places, until=until),
        env=environment(places) | {"LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert not (places / "drill/data").exists()


def test_a_backup_that_does_not_say_when_it_was_begun_is_refused(places: Path) -> None:
    back_up(places, manifest=MANIFEST.replace("backup_label", "another"))

    done = subprocess.run(
        restoring(places, until="2026-01-31 09:30:00+00"),
        env=environment(places),
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )

    assert done.returncode != 0
    assert "no backup_label in" in done.stderr
    assert not (places / "drill/data").exists()
