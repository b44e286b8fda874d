"""Forms of visitors that come all at once wait in line, at the server of production."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bench.restarts import wait_until
from bench.serving import is_listening
from tests.webhooks.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.sqlite]
AT_ONCE = 12


@pytest.mark.night("by day test_web_requests.py reads such a form without a server")
def test_what_waits_comes_to_the_view_whole(tmp_path: Path) -> None:
    with Stack(tmp_path) as stack:
        stack.environment |= {"PORT": str(stack.port), "WEB_WORKERS": "1", "WEB_THREADS": "2"}
        stack.run("-m", "config.web")
        wait_until(lambda: is_listening(stack.port))

        def register(number: int) -> int:
            merchant = {"name": f"Shop {number}", "email": f"shop{number}@example.com"}
            return stack.post("/v1/merchants", merchant).status

        with ThreadPoolExecutor(AT_ONCE) as callers:
            statuses = Counter(callers.map(register, range(AT_ONCE)))

    assert statuses == {201: AT_ONCE}
