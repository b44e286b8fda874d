"""The first chapter of the reference, done as it says."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from payments.models import Payment
from tests.machine import need

COMMANDS = {"sh": ["bash", "-eu"], "python": [sys.executable], "js": ["node"]}
SAYS = {"sh": '"status":"completed"', "python": "It is completed", "js": "It is completed"}


@pytest.mark.slow
@pytest.mark.real_clock("programs of their own call the service")
@pytest.mark.parametrize("language", COMMANDS)
def test_it_pays(openapi: str, live_server: LiveServer, tmp_path: Path, language: str) -> None:
    need({"js": "node", "sh": "curl"}.get(language, "python3"), language)
    description = json.loads(openapi)["info"]["description"]
    chapter = description.partition("# Guides")[0]
    [program] = re.findall(rf"```{language}\n(.*?)```", chapter, re.DOTALL)
    file = tmp_path / ("first.mjs" if language == "js" else "first")
    file.write_text(program.replace(settings.BASE_URL, live_server.url))

    done = subprocess.run([*COMMANDS[language], file], capture_output=True, text=True, timeout=200)

    assert (done.returncode, done.stderr) == (0, "")
    assert SAYS[language] in done.stdout
    assert [payment.status for payment in Payment.objects.all()] == ["completed"]


def test_it_is_the_first_thing_to_read(openapi: str) -> None:
    description = json.loads(openapi)["info"]["description"]

    assert description.startswith("# Your first payment in five minutes")
