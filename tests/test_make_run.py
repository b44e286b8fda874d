"""`make run`: the service in one terminal."""

import json
import os
import shlex
import signal
import stat
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.clone import Service, running

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
WELCOME = r"(?s)(\n[^\n]+ is running at.+?\n  Try [^\n]+)"


def _status(url: str) -> int:
    with urllib.request.urlopen(url) as response:
        return int(response.status)


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/docs", "/v1/openapi.json"])
def test_it_serves(service: Service, path: str) -> None:
    assert _status(f"{service.url}{path}") == 200


def test_it_refuses_a_large_head_as_production_does(service: Service) -> None:
    head = {"X-Large": "x" * 64 * 1024}
    large = urllib.request.Request(f"{service.url}/healthz", headers=head)

    with pytest.raises(urllib.error.HTTPError, match="431"):
        urllib.request.urlopen(large)


@pytest.mark.parametrize("name", ["Reference", "Back office", "Checkout"])
def test_the_addresses_it_prints_can_be_opened(service: Service, name: str) -> None:
    assert _status(service.found(rf"  {name} +(http\S+)")) == 200


def test_the_line_it_prints_creates_a_payment(service: Service) -> None:
    line = service.found(r"  Try +(curl .*)")

    answer = subprocess.run(
        [*shlex.split(line), "--silent"], check=True, capture_output=True, text=True
    )

    payment = json.loads(answer.stdout)
    assert (payment["amount"], payment["status"]) == (1250, "created")


def test_its_secrets_are_the_owners(service: Service) -> None:
    file = service.directory / "var/development.env"

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.night("config/local/serve.py alone can break it; by day the tables are there")
def test_it_makes_the_tables_where_there_are_none(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        assert _status(f"{service.url}/readyz") == 200


def test_the_port_is_named_where_it_is_taken(service: Service) -> None:
    second = Service(service.directory)
    second.port = service.port

    with pytest.raises(AssertionError, match=f"Port {service.port} is not free"):
        second.start()


def test_a_start_that_is_given_up_leaves_nothing_behind(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = Service(service.directory)
    begun: list[int] = []

    def give_up(*words: str) -> None:
        while len(begun) < 2:  # what watches over the others, and the web server
            assert second.process.poll() is None, second.output
            begun[:] = second.pids()
        raise AssertionError("It took too long.")

    monkeypatch.setattr(second, "wait_for", give_up)
    with pytest.raises(AssertionError, match="too long"):
        second.start()

    assert _are_gone([second.process.pid, *begun], seconds=0)


def test_ctrl_c_stops_both_and_a_second_start_says_the_same(service: Service) -> None:
    """Of the service that others use, which runs again afterwards."""
    service.wait_for("The worker has started")
    first, first_output = service.found(WELCOME), service.output
    pids = service.pids()

    ended = service.stop()
    left = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    service.start_again()

    assert (ended, left) == (0, [])
    assert len(pids) == 3  # the third watches over the others
    assert first in service.output
    said_at_once = "Bringing the database up to date ..."
    assert said_at_once in first_output
    assert all(it not in service.output for it in (said_at_once, "Demo data"))
    assert stat.S_IMODE((service.directory / "var/welcome").stat().st_mode) == 0o600


@pytest.mark.night("config/local/serve.py alone can break it; by day it is stopped and started")
def test_a_crash_of_the_worker_stops_both(tmp_path: Path) -> None:
    with running(tmp_path, migrated=True) as service:
        service.wait_for("The worker has started")
        _, web, worker = sorted(service.pids())
        os.kill(worker, signal.SIGKILL)

        assert service.process.wait(30) == 1
        service_said = service.output

    assert "The worker stopped (killed by SIGKILL)" in service_said
    assert not Path(f"/proc/{web}").exists()


@pytest.mark.night("config/local/serve.py alone can break it; by day it is stopped and started")
def test_a_kill_leaves_nothing_behind(tmp_path: Path) -> None:
    with running(tmp_path, through_make=True, migrated=True) as service:
        service.wait_for("The worker has started")
        (run,) = service.pids()
        children = service.pids(of=run)
        service.process.kill()

        assert _are_gone([run, *children], seconds=40)


def _are_gone(pids: list[int], *, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)
