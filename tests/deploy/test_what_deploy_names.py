"""The paths, ports, names and commands that the files of `deploy/` share exist, and agree."""

import re
import sys
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

from tests.source_tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

DEPLOY = ROOT / "deploy"
TEXTS = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in [*sorted(DEPLOY.rglob("*")), *sorted((ROOT / "docs").glob("*.md"))]
    if path.is_file()
}
PAGE = TEXTS["docs/production.md"]
COMPOSE = yaml.safe_load(TEXTS["deploy/compose.yaml"])
MANIFESTS = [
    manifest
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text())
]
# Where the reader's own values stand, or what a step of the page makes.
MADE_BY_THE_READER = {".venv"}


@pytest.mark.parametrize("name", TEXTS)
def test_each_path_of_the_service_exists(name: str) -> None:
    for path in re.findall(r"/opt/payments/([\w.@-]+(?:/[\w.@-]+)*)", TEXTS[name]):
        if path in MADE_BY_THE_READER:
            continue
        inside = path.removeprefix(".venv/")
        assert (Path(sys.prefix) / inside if inside != path else ROOT / path).exists(), path


@pytest.mark.parametrize("name", TEXTS)
def test_each_command_of_the_service_exists(name: str) -> None:
    commands = set(re.findall(r"manage\.py[ ,\n]+([a-z_]+)\b", TEXTS[name]))
    commands |= set(re.findall(r"^\s*manage ([a-z_]+)", TEXTS[name], re.MULTILINE))

    assert commands - set(get_commands()) - {"command", "commands"} == set()


@pytest.mark.parametrize("name", TEXTS)
def test_each_module_that_is_run_exists(name: str) -> None:
    for module in re.findall(r"python -m ((?:config|bench)\.\w+)", TEXTS[name]):
        assert (ROOT / module.replace(".", "/")).with_suffix(".py").exists(), module


def test_all_name_the_same_instances() -> None:
    """Those that the target starts are those that proxies and Prometheus ask."""
    told = {
        "deploy/systemd/payments.target": r"payments-web@(\d+)\.service",
        "deploy/Caddyfile": r"127\.0\.0\.1:(\d+)",
        "deploy/nginx.conf": r"server 127\.0\.0\.1:(\d+)",
        "deploy/prometheus/prometheus.yml": r"127\.0\.0\.1:(8\d+)",
        "docs/production.md": r"payments-web@(\d+)",
        "docs/runbook.md": r"payments-web@(\d+)|127\.0\.0\.1:(\d+)",
    }
    for name, pattern in told.items():
        found = {
            port for each in re.finditer(pattern, TEXTS[name]) for port in each.groups() if port
        }
        assert found == {"8001", "8002"}, name


def test_a_container_listens_where_it_is_asked() -> None:
    containerfile = TEXTS["deploy/Containerfile"]
    [port] = re.findall(r"\bPORT=(\d+)", containerfile)
    web = COMPOSE["services"]["web"]
    [pod] = [each for each in MANIFESTS if each["metadata"]["name"] == "payments-web"][:1]
    template = pod["spec"]["template"]
    [container] = template["spec"]["containers"]

    assert re.findall(r"^EXPOSE (\d+)$", containerfile, re.MULTILINE) == [port]
    assert web["expose"] == [port]
    assert COMPOSE["services"]["proxy"]["environment"]["UPSTREAMS"] == f"web:{port}"
    assert str(container["ports"][0]["containerPort"]) == port
    assert template["metadata"]["annotations"]["prometheus.io/port"] == port
    named = container["ports"][0]["name"]
    service, policy = (
        [each for each in MANIFESTS if each["kind"] == kind][-1]
        for kind in ("Service", "NetworkPolicy")
    )
    assert service["spec"]["ports"][0]["targetPort"] == named
    assert policy["spec"]["ingress"][0]["ports"][0]["port"] == named


def test_each_container_depends_on_one_that_exists() -> None:
    services = COMPOSE["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", {})) <= set(services), name
        mounted = {str(each).split(":")[0] for each in service.get("volumes", ())}
        files = {each for each in mounted if each.startswith("./")}
        assert mounted - files <= set(COMPOSE["volumes"]), name
        assert all((DEPLOY / each).exists() for each in files), name


def test_the_page_names_the_services_of_the_compose_file() -> None:
    hosts = re.findall(r"`(?:postgres|redis)://(?:[^@`]*@)?([a-z]+)/", PAGE)
    used = re.findall(r"compose --file deploy/compose\.yaml (?:exec|stop|run --rm) ([a-z ]+)", PAGE)

    assert set(hosts) == {"postgresql", "redis"} <= set(COMPOSE["services"])
    words = {word for each in used for word in each.split()}
    assert {"beat", "worker", "dispatcher", "migrate"} <= words & set(COMPOSE["services"])


def test_the_page_names_what_the_manifests_make() -> None:
    names = {manifest["metadata"]["name"] for manifest in MANIFESTS}
    deployments = {each["metadata"]["name"] for each in MANIFESTS if each["kind"] == "Deployment"}
    [scaled] = re.findall(r"kubectl scale deployment (.*?) --", PAGE)
    [waited] = re.findall(r"part in \(([\w,]+)\)", PAGE)

    assert set(scaled.split()) == deployments - {"payments-web"}
    assert {f"payments-{part}" for part in waited.split(",")} == set(scaled.split())
    assert set(re.findall(r"(?:job|deployment)/([\w-]+)", PAGE)) <= names
    files = set(re.findall(r"--filename (\S+\.yaml)", PAGE))
    assert files == {path.name for path in (DEPLOY / "kubernetes").iterdir()}
    secrets = {
        container["envFrom"][0]["secretRef"]["name"]
        for manifest in MANIFESTS
        if manifest["kind"] in ("Deployment", "Job")
        for container in manifest["spec"]["template"]["spec"]["containers"]
    }
    assert secrets == set(re.findall(r"create secret generic (\S+)", PAGE))


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_to_start_is_named_whole(name: str) -> None:
    """A pattern finds what runs: `restart 'payments-web@*'` starts none that is stopped."""
    starting = re.findall(r"systemctl (?:re)?start\b.*|systemctl enable\b.*", TEXTS[name])

    assert [command for command in starting if "*" in command] == []


def test_a_release_starts_each_process_that_it_has_stopped() -> None:
    """Also a second dispatcher, which the target starts once it is enabled."""
    parts = {*re.findall(r"payments-(\w+)", TEXTS["deploy/systemd/payments.target"])}
    steps = re.findall(r"^systemctl (stop|start) (.*)$", PAGE, re.M)

    assert [step for step in steps if step[0] == "start"] == [("start", "payments.target")] * 2
    for _, stopped in [step for step in steps if step[0] == "stop"]:
        assert {*re.findall(r"payments-(\w+)", stopped)} == parts - {"web"}
        assert "'payments-dispatcher*'" in stopped
