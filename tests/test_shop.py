"""The sample shops sell, in Python and in Node: cart, checkout, webhook, order fulfilled."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import requests

from tests.clone import ROOT, Service

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
WAIT_SECONDS = 120  # where others have the machine
PROGRAMS = {"shop.py": sys.executable, "shop.mjs": "node"}


@pytest.fixture(scope="module", params=PROGRAMS)
def shop(service: Service, request: pytest.FixtureRequest) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [PROGRAMS[request.param], ROOT / "docs" / request.param],
        env=os.environ | {"SERVICE": service.url, "PORT": str(port)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    said = process.stdout.readline().strip()
    assert said == f"The shop is open at http://localhost:{port}"
    yield f"http://localhost:{port}"
    process.terminate()
    process.wait(10)


def test_an_order_is_fulfilled_once_it_is_paid(service: Service, shop: str) -> None:
    sent = requests.post(f"{shop}/buy", {"atlas": "1", "tea": "2"}, allow_redirects=False)
    payment_id = sent.headers["Location"].rpartition("/")[2]
    payment = requests.get(f"{service.url}/v1/payments/{payment_id}").json()
    order = f"{shop}/orders/{payment['order_id']}"
    assert (sent.status_code, payment["amount"]) == (303, 4200 + 2 * 650)
    assert payment["success_url"] == order
    assert "waiting" in requests.get(order).text

    requests.post(f"{service.url}/v1/payments/{payment_id}/confirm", json={})

    deadline = time.monotonic() + WAIT_SECONDS
    while "paid: on its way to you" not in (page := requests.get(order).text):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert "2 &times; Ginger tea" in page


def test_a_forged_event_fulfils_nothing(shop: str) -> None:
    body = b'{"id":"evt_1","type":"payment.completed","data":{}}'
    forged = {"webhook-id": "evt_1", "webhook-timestamp": str(int(time.time()))}
    forged["webhook-signature"] = "v1,bm90IG91cnM="

    assert requests.post(f"{shop}/hooks", body, headers=forged).status_code == 401
    stale = forged | {"webhook-timestamp": "1"}
    assert requests.post(f"{shop}/hooks", body, headers=stale).status_code == 401


def test_the_gift_card_is_a_link_with_the_services_button(service: Service, shop: str) -> None:
    page = requests.get(f"{shop}/").text
    found = re.search(rf'src="({service.url}/pay/button.js)" data-link="([^"]+)"', page)
    assert found

    assert "paymentcompleted" in requests.get(found[1]).text
    started = requests.post(f"{found[2]}/button").json()
    payment = requests.get(f"{service.url}/v1/payments/{started['payment_id']}").json()
    assert (payment["amount"], payment["description"]) == (2500, "Gift card")


def test_an_empty_cart_buys_nothing(shop: str) -> None:
    sent = requests.post(f"{shop}/buy", {"atlas": "0"}, allow_redirects=False)

    assert (sent.status_code, sent.headers["Location"]) == (303, "/")
    assert "Atlas of the islands, 42.00" in requests.get(f"{shop}/").text
