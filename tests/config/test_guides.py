"""The guides of the reference, done as they say."""

import json
import os
import re
import subprocess
import sys

import pytest
from pytest_django.live_server_helper import LiveServer

from merchants.models import Merchant
from payments.models import Payment
from payouts.models import Payout
from refunds.models import Refund
from tests.client import Api
from tests.machine import need

TOPICS = [
    "Take a payment", "At the counter", "By link", "Invoices", "Refunds", "Webhooks", "Testing",
    "When something fails", "Going live", "Payouts and reconciliation",
]  # fmt: skip


def _chapter(openapi: str) -> str:
    description = json.loads(openapi)["info"]["description"]
    return str(description).partition("# Guides")[2].partition("# How the API works")[0]


def test_there_is_one_for_what_a_merchant_wants_to_do(openapi: str) -> None:
    assert re.findall(r"^## (.*)$", _chapter(openapi), re.MULTILINE) == TOPICS


@pytest.mark.slow
@pytest.mark.real_clock("programs of their own call the service")
@pytest.mark.usefixtures("development")
def test_their_commands_do_what_they_say(
    openapi: str, live_server: LiveServer, api: Api, merchant: Merchant
) -> None:
    need("curl", "curl")
    program = _chapter(openapi).partition("```python\n")[2].partition("```")[0]
    blocks = re.findall(r"```sh\n(.*?)```", _chapter(openapi), re.DOTALL)
    key = api(merchant).secret
    script = "\n".join([f"API={live_server.url}/v1", f"KEY={key}", *blocks])

    done = subprocess.run(
        ["bash", "-euo", "pipefail"], input=script, capture_output=True, text=True, timeout=200
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert '"code":' not in done.stdout
    statuses = list(Payment.objects.order_by("created_at").values_list("status", flat=True))
    assert statuses.count("completed") == 3
    assert "failed" in statuses
    assert [refund.amount for refund in Refund.objects.all()] == [1_200]
    environment = {**os.environ, "API": f"{live_server.url}/v1", "KEY": str(key)}
    feed = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert feed.stdout.startswith("7900 cents up to event "), feed.stderr
    assert [payout.amount for payout in Payout.objects.all()] == [1_000]
