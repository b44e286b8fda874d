"""The owner of a merchant hears of each new address that live events are sent to."""

from typing import Any

import pytest

from core.clock import utc_now
from core.models import Quota
from merchants.callers import Caller
from merchants.models import Merchant
from messages.models import Message
from tests.client import Api, ApiClient
from webhooks.endpoints import update_webhook
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db

PATH = "/v1/webhooks"
BODY = {"url": "https://thief.example/call-242-555-0100", "events": ["*"]}


def told() -> list[tuple[str, str]]:
    notices = Message.objects.filter(kind="webhook_address").order_by("created_at")
    return list(notices.values_list("recipient", "text"))


def test_a_thief_of_a_live_key_does_not_listen_unheard(api: Api, merchant: Merchant) -> None:
    """The endpoint would be sent all events, after the key has been revoked, too."""
    thief = api(merchant, live=True)
    webhook_id = thief.post(PATH, BODY).json()["id"]

    [(recipient, text)] = told()
    assert recipient == merchant.email
    assert f"now sent to thief.example ({webhook_id})" in text
    assert "555" not in text.replace(webhook_id, "")

    thief.patch(f"{PATH}/{webhook_id}", {"url": "https://other.example/"})
    assert "sent to other.example" in told()[-1][1]


def test_a_thief_does_not_switch_an_old_endpoint_on_unheard(api: Api, merchant: Merchant) -> None:
    """Its domain may be the thief's by now, or the owner switched it off because it was theirs."""
    thief = api(merchant, live=True)
    webhook_id = thief.post(PATH, BODY).json()["id"]
    Webhook.objects.update(is_active=False, disabled_reason="failing")

    assert thief.patch(f"{PATH}/{webhook_id}", {"is_active": True}).status_code == 200
    assert len(told()) == 2
    assert f"now sent to thief.example ({webhook_id})" in told()[-1][1]

    for _ in range(9):
        for is_active in (False, True):
            body = {"is_active": is_active}
            assert thief.patch(f"{PATH}/{webhook_id}", body).status_code == 200
    assert thief.patch(f"{PATH}/{webhook_id}", {"is_active": False}).status_code == 200
    assert thief.patch(f"{PATH}/{webhook_id}", {"is_active": True}).status_code == 429
    assert not Webhook.objects.get().is_active


def test_what_staff_switch_is_no_news_of_a_key(api: Api, merchant: Merchant) -> None:
    webhook_id = api(merchant, live=True).post(PATH, BODY).json()["id"]
    before = Message.objects.count()
    staff = Caller.for_staff(livemode=True, actor="staff:ann")

    for is_active in (False, True):
        changes = {"is_active": is_active}
        update_webhook(caller=staff, webhook_id=webhook_id, changes=changes, now=utc_now())
        assert Webhook.objects.get().is_active == is_active

    assert Message.objects.count() == before


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
    for change in ({"url": BODY["url"]}, {"events": ["payment.*", "*"]}, {"is_active": True}):
        assert api(merchant, live=True).patch(f"{PATH}/{webhook_id}", change).status_code == 200
    assert len(told()) == 1


TYPES = ["payout.created", "refund.*", "payment.*"]
SILENCING = [
    ("patch", "", {"is_active": False}, "was switched off"),
    ("patch", "", {"events": ["payout.paid"]}, "now receives fewer types of events"),
    ("post", "/rotate-secret", {"expires_in": 0}, "now has a different signing secret"),
    ("post", "/rotate-secret", {"expires_in": 60}, "now has a different signing secret"),
    ("delete", "", None, "was deleted"),
]


def silence(caller: ApiClient, webhook_id: str, case: tuple[str, str, Any, str]) -> None:
    method, path, body, _ = case
    address = f"{PATH}/{webhook_id}{path}"
    answer = getattr(caller, method)(address, *([body] if body else []))
    assert answer.status_code == 200


@pytest.mark.parametrize("case", SILENCING, ids=lambda case: case[3])
def test_a_thief_does_not_silence_the_owners_endpoint_unheard(
    api: Api, merchant: Merchant, case: tuple[str, str, Any, str]
) -> None:
    """They would refund to themselves before the owner looks."""
    webhook_id = api(merchant, live=True).post(PATH, BODY).json()["id"]

    silence(api(merchant, live=True), webhook_id, case)

    _, (recipient, text) = told()
    assert recipient == merchant.email
    assert f"The webhook {webhook_id} for your live payments {case[3]}" in text


@pytest.mark.parametrize("case", SILENCING, ids=lambda case: case[3])
def test_that_of_a_test_is_not_told(
    api: Api, merchant: Merchant, case: tuple[str, str, Any, str]
) -> None:
    silence(api(merchant), api(merchant).post(PATH, BODY).json()["id"], case)

    assert not told()


def spend(caller: ApiClient, earlier: int = 0) -> str:
    """Use up the day's notices by an endpoint, and return its id; `earlier` ones do not count."""
    webhook_id = str(caller.post(PATH, BODY).json()["id"])
    for number in range(2, 21):
        caller.patch(f"{PATH}/{webhook_id}", {"url": f"https://mine-{number}.example/"})
    assert len(told()) == 20 + earlier
    return webhook_id


@pytest.mark.parametrize("case", SILENCING, ids=lambda case: case[3])
def test_a_thief_who_has_used_up_the_notices_silences_no_endpoint_unheard(
    api: Api, merchant: Merchant, case: tuple[str, str, Any, str]
) -> None:
    """The twenty may all be of an endpoint that the owner takes for a colleague's trial."""
    owners = api(merchant, live=True).post(PATH, BODY).json()["id"]
    Message.objects.all().delete()
    Quota.objects.all().delete()
    thief = api(merchant, live=True)
    spend(thief)

    silence(thief, owners, case)

    assert len(told()) == 21
    assert f"The webhook {owners} for your live payments {case[3]}" in told()[-1][1]


def test_a_type_that_no_one_misses_hides_no_others_from_the_owner(
    api: Api, merchant: Merchant
) -> None:
    """The owner takes the first for a colleague's change; refunds are what the thief is after."""
    owners = api(merchant, live=True).post(PATH, BODY | {"events": TYPES}).json()["id"]
    Message.objects.all().delete()
    Quota.objects.all().delete()
    thief = api(merchant, live=True)
    spend(thief)

    for left in (TYPES[1:], TYPES[2:]):
        assert thief.patch(f"{PATH}/{owners}", {"events": left}).status_code == 200

    texts = [text for _, text in told()[20:]]
    assert ["\nNo longer sent: payout.created.\n" in text for text in texts] == [True, False]
    assert "\nNo longer sent: refund.completed, refund.created, refund.failed.\n" in texts[1]


def test_an_endpoint_that_is_narrower_and_off_at_once_is_told_of_as_both(
    api: Api, merchant: Merchant
) -> None:
    """Switched on again, it would still lack what the first e-mail did not mention."""
    caller = api(merchant, live=True)
    webhook_id = caller.post(PATH, BODY).json()["id"]
    caller.patch(f"{PATH}/{webhook_id}", {"is_active": False, "events": ["payment.*"]})

    texts = [text for _, text in told()[1:]]  # of one moment, in either order
    for words in ("was switched off", "receives fewer types of events"):
        assert [words in text for text in texts].count(True) == 1


def test_beyond_the_notices_each_silence_of_an_endpoint_is_told_of_once(
    api: Api, merchant: Merchant
) -> None:
    caller = api(merchant, live=True)
    webhook_id = spend(caller)

    for _ in range(3):
        silence(caller, webhook_id, SILENCING[2])
    assert caller.delete(f"{PATH}/{webhook_id}").status_code == 200
    assert len(told()) == 22


def test_beyond_the_notices_each_endpoint_has_a_first_silence_of_its_own(
    api: Api, merchant: Merchant
) -> None:
    caller = api(merchant, live=True)
    other = caller.post(PATH, BODY).json()["id"]
    Quota.objects.all().delete()
    first = spend(caller, earlier=1)

    for webhook_id in (first, other):
        assert caller.delete(f"{PATH}/{webhook_id}").status_code == 200

    assert len(told()) == 23


def test_a_narrower_one_is_told_of_once(api: Api, merchant: Merchant) -> None:
    """What is off already hears nothing that it could be kept from by being switched off."""
    caller = api(merchant, live=True)
    webhook_id = caller.post(PATH, BODY).json()["id"]
    for _ in range(2):
        caller.patch(f"{PATH}/{webhook_id}", {"is_active": False})
        caller.patch(f"{PATH}/{webhook_id}", {"events": ["payment.*"]})

    assert len(told()) == 3
