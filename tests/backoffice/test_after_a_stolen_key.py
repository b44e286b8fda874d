"""What a stolen key leaves behind its end: too much for one press, late requests, old rows."""

import pytest

from backoffice.admin import ending_keys, made_with_keys
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from links.models import PaymentLink
from merchants import authentication
from merchants.models import ApiKey, Merchant
from tests.backoffice.conftest import Office
from tests.backoffice.stolen_keys import KeyHolder, active_links, end
from tests.row_changes import rows_of
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db


@pytest.fixture
def thief(merchant: Merchant) -> KeyHolder:
    return KeyHolder(merchant)


def test_very_many_take_more_than_one_press(
    office: Office, thief: KeyHolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending_keys, "MOST_AT_ONCE", 2)
    monkeypatch.setattr(made_with_keys, "MOST_AT_ONCE", 2)
    for _ in range(5):
        thief.link()

    assert "ended: 2 payment links. Still active: 2+ payment links." in end(office, thief.key)
    page = end(office, thief.key, "end-what-it-made")
    assert "ended: 2 payment links. Still active: 1 payment link." in page
    end(office, thief.key, "end-what-it-made")

    assert not active_links()
    assert "End what it made" not in office(Role.DEVELOPER).get(page_of(thief.key)).content.decode()


def test_a_process_that_still_knows_the_key_goes_back_on_nothing(
    office: Office, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It learns of the end up to a second later, and a thief asks again and again."""
    thief = KeyHolder(merchant, live=True)
    hook = thief.endpoint()
    known = ApiKey.objects.select_related("merchant").get(pk=thief.key.pk)
    assert "Made with it and ended: 1 endpoint." in end(office, thief.key)
    monkeypatch.setattr(authentication, "find_key", lambda secret, at: known)
    path = f"/v1/webhooks/{hook.pk}"
    ended = rows_of(Webhook.objects.all())

    late = (
        thief.api.patch(path, {"is_active": True}),
        thief.api.patch(path, {"url": "https://thief.example/again"}),
        thief.api.post(f"{path}/rotate-secret"),
        thief.api.delete(path),
    )

    assert [answer.status_code for answer in late] == [401] * 4
    assert rows_of(Webhook.objects.all()) == ended


def test_pages_say_which_key_it_was_or_that_it_was_not_recorded(
    office: Office, thief: KeyHolder
) -> None:
    link, hook, browser = thief.link(), thief.endpoint(), office(Role.DEVELOPER)
    until = thief.makes("api-keys", name="Till")["id"]
    of_key = browser.get(page_of(thief.key)).content.decode()
    assert 'data-label="Amount' in of_key, "a heading's text, without its mark-up"

    for made in (link, hook, ApiKey.objects.get(pk=until)):
        assert page_of(made) in of_key
        assert page_of(thief.key) in browser.get(page_of(made)).content.decode()

    PaymentLink.objects.update(created_by=None)
    Webhook.objects.update(url_set_by=None, url_set_at=None)
    assert "the shop: key not recorded" in browser.get(page_of(link)).content.decode()
    assert "not recorded" in browser.get(page_of(hook)).content.decode()
    assert "not recorded" in browser.get(page_of(thief.key)).content.decode()
