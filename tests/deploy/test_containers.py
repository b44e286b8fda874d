"""What the manifests run, run as they stand: image, user, environment, probes, and the way out."""

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.clusters import create_migrated
from tests.deploy.containers import SOCKETS, Containers, read_environment
from tests.machine import need
from tests.postgres import Postgres
from tests.redis import Redis
from tests.source_tree import ROOT

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.sqlite]

ROOTLESS = "a container takes root where there is no engine"
MINUTES = "it takes a minute; by day the files are compared with each other and with the code"
START_SECONDS = 120
PARTS = ("web", "worker", "dispatcher", "beat")
ANSWERS = {
    "BASE_URL": "https://pay.island.bs",
    "DATABASE_URL": f"postgres://postgres@/postgres?host={SOCKETS}",
    "CELERY_BROKER_URL": f"redis+socket://{SOCKETS}/redis.sock",
    "CACHE_URL": f"redis://{SOCKETS}/redis.sock",
    "EMAIL_URL": "smtp+tls://us:secret@mail.island.bs:587",
    "SMS_URL": "https://us:secret@sms.island.bs/send",
}
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())
PODS = {
    manifest["metadata"]["name"].removeprefix("payments-"): manifest["spec"]["template"]["spec"]
    for path in sorted((ROOT / "deploy/kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text())
    if manifest["kind"] in ("Deployment", "Job")
}


def in_compose(part: str) -> tuple[list[str], dict[str, str], int]:
    """Return a part's command, environment, and the seconds it has to stop."""
    service = COMPOSE["services"][part]
    seconds = int(service["stop_grace_period"].removesuffix("s"))
    return service["command"], service.get("environment", {}), seconds


def in_kubernetes(part: str) -> tuple[list[str], dict[str, str], int]:
    pod = PODS[part]
    [container] = pod["containers"]
    given = {each["name"]: each["value"] for each in container.get("env", [])}
    return container["command"], given, pod["terminationGracePeriodSeconds"]


@pytest.fixture
def containers() -> Iterator[Containers]:
    """The image, with an empty PostgreSQL and a Redis that its containers can reach."""
    if os.geteuid():
        pytest.skip(ROOTLESS)
    need("redis-server", "Redis")
    with ExitStack() as closing:
        name = closing.enter_context(tempfile.TemporaryDirectory(prefix="payments-image-"))
        directory = Path(name)
        directory.chmod(0o755)
        for folder in ("image", "sockets"):
            (directory / folder).mkdir()
        postgres, redis = Postgres(directory / "pg"), Redis(directory / "sockets")
        closing.callback(postgres.remove)
        closing.callback(redis.stop)
        create_migrated(postgres)
        postgres.options |= {
            "unix_socket_permissions": "0777",
            "unix_socket_directories": f"{directory}/pg,{directory}/sockets",
        }
        (directory / "sockets").chmod(0o777)
        postgres.start()
        redis.start()
        redis.socket.chmod(0o777)
        network = f"containers-{os.getpid()}"
        subprocess.run(["ip", "netns", "add", network], check=True)
        closing.callback(subprocess.run, ["ip", "netns", "delete", network], check=True)
        up = ["ip", "netns", "exec", network, "ip", "link", "set", "lo", "up"]
        subprocess.run(up, check=True)
        made = Containers(directory / "image", directory / "sockets", network)
        made.build()
        yield made


@pytest.mark.night(MINUTES)
@pytest.mark.parametrize("told", [in_compose, in_kubernetes])
def test_every_part_starts_works_and_stops(
    containers: Containers, told: Callable[[str], tuple[list[str], dict[str, str], int]]
) -> None:
    environment = _configured(containers)
    command, given, _ = told("migrate")
    migrating = containers.start(command, environment | given)
    assert migrating.wait(START_SECONDS) == 0, containers.words()
    running = {}
    for part in PARTS:
        command, given, _ = told(part)
        running[part] = containers.start(command, environment | given)
    try:
        _wait_for(containers, "/readyz", '"ok"')
        assert containers.get("/healthz", 8000) == '{"status":"ok"}'
        for shown in (
            r'background_processes_alive{kind="worker"} [1-9]',
            r'background_processes_alive{kind="dispatcher"} [1-9]',
            r"broker_up 1\.0",
            r'task_succeeded_timestamp_seconds{task="expire payments"} [1-9]',
        ):
            _wait_for(containers, "/metrics", shown)
        assert {part: each.poll() for part, each in running.items()} == dict.fromkeys(PARTS)
        for each in running.values():
            each.send_signal(signal.SIGTERM)
        ended = {part: each.wait(told(part)[2]) for part, each in running.items()}
    finally:
        for each in running.values():
            if each.poll() is None:
                os.killpg(each.pid, signal.SIGKILL)
    assert ended == dict.fromkeys(PARTS, 0), containers.words()


def _configured(containers: Containers) -> dict[str, str]:
    """Return the environment that `configure` writes in a container, as the page has it done."""
    deploy = containers.image.parent / "deploy"
    deploy.mkdir()
    command = ["python", "manage.py", "configure", "/opt/deploy/environment", "--no-input"]
    done = containers.start(command, ANSWERS, user="0", deploy=deploy)
    assert done.wait(START_SECONDS) == 0, containers.words()
    return read_environment(deploy / "environment")


def _wait_for(containers: Containers, path: str, shown: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not re.search(shown, containers.get(path, 8000)):
        assert time.monotonic() < deadline, f"{path}: no {shown}\n{containers.get(path, 8000)}"
        time.sleep(0.5)
