"""The README tells the truth: its commands run, its table is that of the settings."""

import re
import subprocess

import pytest

from config.environment import VARIABLES
from tests.clone import ROOT, Service

README = (ROOT / "README.md").read_text()
COMMANDS = "\n".join(re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL))
ROWS = dict(re.findall(r"^\| `([A-Z_]+)` \| (.*?) \|", README, re.MULTILINE))
DERIVED = {  # these follow from other variables, or are left out
    name for name, (_, default) in VARIABLES.items() if default in ("", [], None)
}
# curl ends with an error on each answer that is one, so that the script stops there.
STRICT = 'set -eu\ncurl() { command curl --silent --show-error --fail-with-body "$@"; echo; }\n'


@pytest.mark.slow
@pytest.mark.sqlite
def test_its_commands_run(service: Service) -> None:
    script = COMMANDS.replace("http://localhost:8000", service.url)
    done = subprocess.run(["bash", "-c", STRICT + script], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count('"status":"completed"') == 2
    assert '"status":"succeeded"' in done.stdout
    assert '"amount":4200' in done.stdout
    assert '"max_uses":3' in done.stdout
    assert '"type":"payment_link.created"' in done.stdout


def test_it_lists_every_variable() -> None:
    assert sorted(ROWS) == sorted(VARIABLES)


@pytest.mark.parametrize("name", sorted(set(VARIABLES) - DERIVED))
def test_it_tells_the_default(name: str) -> None:
    default = VARIABLES[name][1]
    if isinstance(default, list):
        default = ",".join(map(str, default))

    assert ROWS[name].strip("`").lower() == str(default).lower()


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)]+)\)", README))
def test_its_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).exists()
