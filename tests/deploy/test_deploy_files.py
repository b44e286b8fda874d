"""The files of `deploy/` are well formed, name what there is, and say the same as the documents."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from config.environment import VARIABLES
from config.web import LEAVE_SECONDS
from payouts.bank.safe_xml import MAX_FILE_BYTES
from tests.machine import need
from tests.source_tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

DEPLOY = ROOT / "deploy"
FILES = [path for path in sorted(DEPLOY.rglob("*")) if path.is_file()]
UNITS = sorted((DEPLOY / "systemd").iterdir())
MANIFESTS = [
    document
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text())
]
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
# Of Python, systemd, the kernel and the proxies; all else in capitals is a setting of ours.
OTHERS = {
    "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "MAINPID", "AF_INET", "AF_INET6", "AF_UNIX",
    "UPSTREAMS", "SITE", "PROMETHEUS_MULTIPROC_DIR", "POSTGRES_USER", "POSTGRES_PASSWORD",
    "PG_VERSION", "KEEP_DAYS", "DYNAMIC_PAY", "INVOICE_PAY",
}  # fmt: skip
WORDS = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_names_only_settings_that_exist(path: Path) -> None:
    named = set(WORDS.findall(path.read_text()))

    assert named - set(VARIABLES) - OTHERS == set()


def _commands() -> dict[str, str]:
    """Return what each of these files runs for each part of the service."""
    found: dict[str, str] = {}
    for unit in UNITS:
        for line in re.findall(r"^ExecStart=/opt/payments/.venv/bin/(.*)$", unit.read_text(), re.M):
            found[f"systemd {unit.stem.removeprefix('payments-').removesuffix('@')}"] = line
    for name, service in COMPOSE["services"].items():
        if service.get("image") == "payments":
            found[f"compose {name}"] = " ".join(service["command"])
    for manifest in MANIFESTS:
        if manifest["kind"] in ("Deployment", "Job"):
            [container] = manifest["spec"]["template"]["spec"]["containers"]
            found[f"kubernetes {container['name']}"] = " ".join(container["command"])
    return found


@pytest.mark.parametrize("part", ["web", "worker", "dispatcher", "beat", "migrate"])
def test_all_run_a_part_by_the_same_command(part: str) -> None:
    commands = {how: said for how, said in _commands().items() if how.split()[1] == part}

    assert len(commands) == (2 if part == "migrate" else 3)
    assert len(set(commands.values())) == 1


def test_the_documents_name_these_commands() -> None:
    page = (ROOT / "docs/production.md").read_text()

    for how, said in _commands().items():
        assert f"`{said.removeprefix('python ')}`" in page or said in page, how


def test_every_part_may_write_to_its_temporary_folder_only() -> None:
    for name, service in COMPOSE["services"].items():
        if service.get("image") == "payments":
            assert (service["read_only"], service["user"], service["cap_drop"]) == (
                True,
                "10001",
                ["ALL"],
            ), name
    for manifest in MANIFESTS:
        if manifest["kind"] in ("Deployment", "Job"):
            pod = manifest["spec"]["template"]["spec"]
            assert pod["securityContext"]["runAsNonRoot"] is True
            assert pod["containers"][0]["securityContext"]["readOnlyRootFilesystem"] is True


def test_images_and_packages_are_pinned() -> None:
    images = [service["image"] for service in COMPOSE["services"].values()]
    containerfile = (DEPLOY / "Containerfile").read_text()

    assert all(re.search(r":\d+\.\d+", image) for image in images if image != "payments")
    assert re.search(r"^ARG PYTHON=\S+:\d+\.\d+\.\d+-\S+$", containerfile, re.M)
    assert "--require-hashes" in containerfile
    assert re.findall(r"^USER (\d+)$", containerfile, re.M) == ["10001"]


def test_the_image_copies_what_there_is() -> None:
    for source in re.findall(
        r"^COPY (?!--from)(\S+)", (DEPLOY / "Containerfile").read_text(), re.M
    ):
        assert (ROOT / source).exists()


def test_no_secret_is_copied_into_the_image_or_committed() -> None:
    page = (ROOT / "docs/production.md").read_text()
    written = {
        "deploy/.env",
        *(f"deploy/{each}" for each in re.findall(r"/deploy/(\w+)$", page, re.M)),
    }
    read = {
        f"deploy/{each['env_file']}" for each in COMPOSE["services"].values() if "env_file" in each
    }

    assert read < written
    for ignored in (".dockerignore", ".gitignore"):
        assert written <= set((ROOT / ignored).read_text().splitlines())


def test_each_selector_finds_the_pods_of_its_part() -> None:
    pods = [
        manifest["spec"]["template"]["metadata"]["labels"]
        for manifest in MANIFESTS
        if manifest["kind"] in ("Deployment", "Job")
    ]
    for manifest in MANIFESTS:
        spec = manifest["spec"]
        selector = spec.get("podSelector", spec.get("selector", {}))
        if manifest["kind"] != "Job":
            for labels in selected(manifest["kind"], selector):
                assert labels in pods, manifest["metadata"]["name"]
        if manifest["kind"] == "Deployment":
            assert selector["matchLabels"] == spec["template"]["metadata"]["labels"]


def selected(kind: str, selector: dict[str, Any]) -> list[dict[str, str]]:
    """Return the labels of each kind of pod that a selector finds."""
    labels = selector if kind == "Service" else selector["matchLabels"]
    found = [labels]
    for each in selector.get("matchExpressions", ()):
        assert each["operator"] == "In"
        found = [labels | {each["key"]: value} for value in each["values"]]
    return found


def test_whatever_calls_addresses_of_merchants_reaches_public_ones_only() -> None:
    """Of webhooks: the dispatcher, and a web process for a test event. Of logos: a worker."""
    policies = [each["spec"] for each in MANIFESTS if each["kind"] == "NetworkPolicy"]
    (egress,) = (each for each in policies if "egress" in each)
    found = selected("NetworkPolicy", egress["podSelector"])

    assert {each["part"] for each in found} == {"dispatcher", "web", "worker"}
    (block,) = (to["ipBlock"] for rule in egress["egress"] for to in rule["to"] if "ipBlock" in to)
    assert {"10.0.0.0/8", "169.254.0.0/16"} < set(block["except"])


def test_probes_ask_for_what_the_service_answers_by_any_name() -> None:
    [web] = [each for each in MANIFESTS if each["metadata"]["name"] == "payments-web"][:1]
    [container] = web["spec"]["template"]["spec"]["containers"]
    probes = [container[f"{name}Probe"] for name in ("liveness", "readiness", "startup")]

    assert [probe["httpGet"]["path"] for probe in probes] == ["/healthz", "/readyz", "/healthz"]
    assert {probe["httpGet"]["port"] for probe in probes} == {
        container["ports"][0]["containerPort"]
    }
    assert probes[0]["failureThreshold"] * probes[0]["periodSeconds"] > LEAVE_SECONDS


def test_the_proxies_let_in_what_the_service_takes() -> None:
    limits = {
        "Caddyfile": r"max_size (\d+)([KM])iB",
        "nginx.conf": r"client_max_body_size (\d+)([km]);",
    }
    for name, pattern in limits.items():
        found = re.findall(pattern, (DEPLOY / name).read_text())
        sizes = sorted(int(count) << {"k": 10, "m": 20}[unit.lower()] for count, unit in found)

        assert sizes[0] == settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        assert sizes[1] > MAX_FILE_BYTES  # with the rest of its form


def test_the_units_are_what_systemd_takes(tmp_path: Path) -> None:
    need("systemd-analyze", "systemd")
    for unit in UNITS:
        text = unit.read_text().replace("/opt/payments", str(ROOT))
        (tmp_path / unit.name).write_text(text)
    shutil.copy(tmp_path / "payments-web@.service", tmp_path / "payments-web@8001.service")
    units = [str(path) for path in tmp_path.iterdir() if "@." not in path.name]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *units],
        capture_output=True,
        text=True,
    )

    assert [line for line in done.stderr.splitlines() if "payments" in line] == []


def test_the_page_names_what_the_night_asks_for() -> None:
    asked = set(re.findall(r"\$\{([A-Z_]+):", (DEPLOY / "nightly").read_text()))
    asked |= set(re.findall(r"\$\{([A-Z]+):\?\}", (DEPLOY / "restore").read_text()))
    [given] = re.findall(r"<<'END'\n(.*?)END\n", (ROOT / "docs/backup.md").read_text(), re.DOTALL)

    assert {line.partition("=")[0] for line in given.splitlines()} == asked


@pytest.mark.parametrize("name", ["nightly", "restore"])
def test_what_runs_as_postgres_sees_no_key(name: str) -> None:
    need("psql", "PostgreSQL")  # and its user
    [function] = re.findall(r"^as_postgres\(\) {.*?^}$", (DEPLOY / name).read_text(), re.M | re.S)
    script = f"{function}\nas_postgres sh -c 'id -u; env'"
    seen = subprocess.run(
        ["sh", "-euc", script],
        env={"PATH": os.environ["PATH"], "ENCRYPTION_KEY": "secret"},
        capture_output=True,
        text=True,
    )

    assert seen.returncode == 0, seen.stderr
    assert seen.stdout.splitlines()[0] != "0"
    assert "secret" not in seen.stdout


def test_nginx_takes_its_site(tmp_path: Path) -> None:
    need("nginx", "nginx")
    from bench.proxies import nginx

    command = nginx(tmp_path, 18_443, [18_001, 18_002])
    done = subprocess.run([*command, "-t"], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert "server 127.0.0.1:18002 max_fails=0;" in (tmp_path / "nginx.conf").read_text()


def test_caddy_takes_its_site(tmp_path: Path) -> None:
    need("caddy", "Caddy")
    from bench.proxies import caddy

    _, _, *rest = caddy(tmp_path, 18_443, [18_001, 18_002])
    done = subprocess.run(["caddy", "validate", *rest], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr


def test_no_container_fills_the_disk_or_the_memory_for_the_others() -> None:
    for name, service in COMPOSE["services"].items():
        assert {"max-size", "max-file"} <= service["logging"]["options"].keys(), name
        if service["image"] == "payments":
            assert {"mem_limit", "pids_limit"} <= service.keys(), name


def test_what_runs_twice_is_not_evicted_at_once_nor_put_on_one_node() -> None:
    budgets = {
        manifest["spec"]["selector"]["matchLabels"]["part"]
        for manifest in MANIFESTS
        if manifest["kind"] == "PodDisruptionBudget"
    }
    twice = {
        each["metadata"]["labels"]["part"]: each["spec"]["template"]["spec"]
        for each in MANIFESTS
        if each["kind"] == "Deployment" and each["spec"]["replicas"] > 1
    }

    assert budgets == set(twice) == {"web", "dispatcher"}
    for part, pod in twice.items():
        [spread] = pod["topologySpreadConstraints"]
        assert spread["topologyKey"] == "kubernetes.io/hostname"
        assert spread["labelSelector"]["matchLabels"]["part"] == part


def test_a_recorded_connection_to_nginx_stays_secret() -> None:
    """The certificate's key, or a ticket's, does not open it later."""
    said = (DEPLOY / "nginx.conf").read_text()
    [allowed] = re.findall(r"^ *ssl_ciphers (\S+);$", said, re.M)

    listed = subprocess.run(
        ["openssl", "ciphers", "-v", "-tls1_2", allowed], capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert "ssl_session_tickets off;" in said
    old = [line for line in listed if " TLSv1.2 " in line]
    assert old
    assert all("Kx=ECDH " in line and "Mac=AEAD" in line for line in old)
