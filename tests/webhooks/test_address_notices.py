"""The owner of a merchant hears of each new address that live events are sent to."""

import pytest

from merchants.models import Merchant
from messages.models import Message
from tests.client import Api
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db

PATH = "/v1/webhooks"
BODY = {"url": "https://thief.example/call-242-555-0100", "events": ["*"]}


def told() -> list[tuple[str, str]]:
    return list(Message.objects.filter(kind="webhook_address").values_list("recipient", "text"))


def test_a_thief_of_a_live_key_does_not_listen_unheard(api: Api, merchant: Merchant) -> None:
    """The endpoint would be sent all events, after the key has been revoked, too."""
    thief = api(merchant, live=True)
    webhook_id = thief.post(PATH, BODY).json()["id"]

    [(recipient, text)] = told()
    assert recipient == merchant.email
    assert f"sent to thief.example from now on ({webhook_id})" in text
    assert "555" not in text

    thief.patch(f"{PATH}/{webhook_id}", {"url": "https://other.example/"})
    assert "sent to other.example" in told()[-1][1]


def test_a_thief_does_not_bury_the_notice_among_others(api: Api, merchant: Merchant) -> None:
    thief = api(merchant, live=True)
    webhook_id = thief.post(PATH, BODY).json()["id"]
    for number in range(2, 21):
        url = f"https://thief-{number}.example/"
        assert thief.patch(f"{PATH}/{webhook_id}", {"url": url}).status_code == 200

    last = {"url": "https://last.example/"}
    assert thief.patch(f"{PATH}/{webhook_id}", last).status_code == 429
    assert Webhook.objects.get().url == "https://thief-20.example/"
    assert thief.post(PATH, BODY).status_code == 429
    assert len(told()) == 20


def test_what_moves_nothing_and_what_is_a_test_is_not_told(api: Api, merchant: Merchant) -> None:
    api(merchant).post(PATH, BODY)
    assert not told()

    webhook_id = api(merchant, live=True).post(PATH, BODY).json()["id"]
    for change in ({"url": BODY["url"]}, {"events": ["payment.*"]}, {"is_active": False}):
        api(merchant, live=True).patch(f"{PATH}/{webhook_id}", change)
    assert len(told()) == 1
