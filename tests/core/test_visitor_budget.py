"""Callers without a key cannot keep a process from its merchants: their network pays for them."""

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

import config.settings
from backoffice.roles import Role
from core import visitor_budget
from core.visitor_budget import BURST_SECONDS, budget
from merchants.keys import new_secret
from tests.backoffice.conftest import sign_in

NETWORK = "127.0.0.0/24"
ELSEWHERE = "198.51.100.9"
MADE_UP = f"Bearer {new_secret(livemode=False)}"


@pytest.fixture(autouse=True)
def busy(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Let the process have others to serve, and the limit be that of production."""
    settings.VISITOR_SECONDS_PER_NETWORK = config.settings.VISITOR_SECONDS_PER_NETWORK
    monkeypatch.setattr(visitor_budget, "QUIET", -1)


@pytest.fixture
def spent() -> Iterator[None]:
    """Let the network of the tests have spent what it may, and a minute's worth more."""
    budget.charge(NETWORK, BURST_SECONDS + 6)
    yield
    budget.end_trying(NETWORK)


@pytest.mark.parametrize(
    "path", ["/v1/openapi.json", "/docs", "/account/phone", "/checkout/nothing", "/admin/login/"]
)
@pytest.mark.usefixtures("spent")
def test_a_network_that_has_spent_its_budget_is_refused(db: None, path: str) -> None:
    refused = Client().get(path)

    assert refused.status_code == 429
    assert 59 <= int(refused["Retry-After"]) <= 60


@pytest.mark.usefixtures("spent")
def test_the_refusal_of_the_api_is_json(db: None) -> None:
    refused = Client().get("/v1/openapi.json")

    assert refused.json()["code"] == "RATE_LIMITED"


@pytest.mark.usefixtures("spent")
def test_other_networks_are_served(db: None, settings) -> None:
    assert Client(REMOTE_ADDR=ELSEWHERE).get("/v1/openapi.json").status_code == 200
    assert Client(REMOTE_ADDR="127.0.0.200").get("/v1/openapi.json").status_code == 429
    settings.VISITOR_SECONDS_PER_NETWORK = 0
    assert Client().get("/v1/openapi.json").status_code == 200


@pytest.mark.usefixtures("spent")
def test_probes_are_answered_whatever_their_network_has_spent(db: None) -> None:
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/readyz").status_code == 200


@pytest.mark.usefixtures("spent")
def test_while_others_need_nothing_everyone_is_served(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitor_budget, "QUIET", 1)

    assert Client().get("/account/phone").status_code == 200


def test_the_budget_comes_back(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    at = 1_000.0
    monkeypatch.setattr(visitor_budget.time, "monotonic", lambda: at)
    budget.charge(NETWORK, BURST_SECONDS + 0.3)

    assert Client().get("/account/phone")["Retry-After"] == "3"  # a tenth of a second for each
    at += 3
    assert Client().get("/account/phone").status_code == 200


@pytest.mark.parametrize("path", ["/account/phone", "/v1/openapi.json", "/admin/login/"])
def test_what_a_visitor_costs_is_charged(db: None, path: str) -> None:
    Client().get(path)

    assert budget._debts[NETWORK][0] > 0


@pytest.mark.usefixtures("spent")
def test_a_merchant_of_that_network_is_served(api, merchant, stranger) -> None:
    first, second = api(merchant), api(stranger)

    assert first.get(f"/v1/merchants/{merchant.id}").status_code == 200
    budget.begin_trying(NETWORK)  # wrong keys are at it all the time
    assert first.get(f"/v1/merchants/{merchant.id}").status_code == 200
    assert second.get(f"/v1/merchants/{stranger.id}").status_code == 429
    budget.end_trying(NETWORK)
    assert second.get(f"/v1/merchants/{stranger.id}").status_code == 200


def test_wrong_keys_are_charged_and_looked_up_one_at_a_time(db: None) -> None:
    client = Client(headers={"authorization": MADE_UP})
    assert client.get("/v1/balance").status_code == 401
    assert budget._debts[NETWORK][0] > 0
    budget.charge(NETWORK, 10)

    assert client.get("/v1/balance").status_code == 401
    assert budget.begin_trying(NETWORK)
    assert client.get("/v1/balance").status_code == 429
    budget.end_trying(NETWORK)


@pytest.mark.parametrize("path", ["/v1/balance", "/v1/balance%00", "/v1/openapi.json"])
def test_a_made_up_key_never_proves_good(db: None, path: str) -> None:
    client = Client(headers={"authorization": MADE_UP})
    client.get(path)
    client.post(path, data=b"{", content_type="application/json", HTTP_TRANSFER_ENCODING="chunked")

    assert not budget._proven


def test_staff_who_are_signed_in_cost_nothing_and_are_served(db: None) -> None:
    browser = sign_in(Role.SUPPORT)
    budget.clear()
    assert browser.get("/admin/").status_code == 200
    assert NETWORK not in budget._debts
    budget.charge(NETWORK, 10)

    assert browser.get("/admin/").status_code == 200
    browser.cookies["sessionid"] = "made-up"
    assert browser.get("/admin/").status_code == 429


def test_it_keeps_no_more_networks_than_it_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_budget, "MOST_KEPT", 3)
    for number in range(9):
        budget.charge(f"203.0.{number}.0/24", 1)
        budget.prove(b"%d" % number)

    assert (len(budget._debts), len(budget._proven)) == (3, 3)
    assert budget.wait("203.0.8.0/24") > 0
