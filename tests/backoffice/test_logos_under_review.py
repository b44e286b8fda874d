"""A merchant's host shows staff another logo than it shows us: what we have read is what counts."""

import io
from base64 import b64encode
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from backoffice.roles import Role
from checkout import tasks
from checkout.logos import RETRY, SECONDS, read_due_logos, read_wanted_logos
from checkout.models import Logo, WantedLogo
from core.clock import utc_now
from merchants.models import Merchant
from tests.backoffice.acting import act, fields_of, page_of_act
from tests.backoffice.conftest import Office
from tests.client import Api
from tests.factories import MerchantFactory

pytestmark = pytest.mark.django_db
URL = "https://shop.example.com/logo.png"


def picture(color: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 8), color).save(out, "PNG")
    return out.getvalue()


class Host:
    """The merchant's host: the colour of its logo, or none; and how often it was asked."""

    def __init__(self) -> None:
        self.color, self.asked = "green", 0

    def get(self, url: str, **_: Any) -> tuple[SimpleNamespace, bytes]:
        self.asked += 1
        error = "" if self.color else "Answered 404."
        return SimpleNamespace(error=error), picture(self.color) if self.color else b""


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    made = Host()
    monkeypatch.setattr("checkout.logos.get", made.get)
    return made


@pytest.fixture
def asking(api: Api, merchant: Merchant) -> Merchant:
    """A verified merchant that asks for another logo."""
    asked = api(merchant, live=True).patch(f"/v1/merchants/{merchant.id}", {"logo_url": URL})
    assert asked.status_code == 200
    return merchant


def is_shown(row: Logo | WantedLogo, page: str) -> bool:
    return f'src="data:image/png;base64,{b64encode(bytes(row.png)).decode()}"' in page


def opened(browser: Client, merchant: Merchant, name: str) -> str:
    return browser.get(page_of_act(merchant, name)).content.decode()


def test_staff_see_the_logo_that_they_approve_and_customers_see_that_one(
    office: Office, asking: Merchant, host: Host
) -> None:
    browser = office(Role.FINANCE)
    assert act(browser, asking, "approve-change", reason="Unseen").status_code == 422
    read_wanted_logos(now=utc_now())
    assert is_shown(WantedLogo.objects.get(), opened(browser, asking, "approve-change"))

    assert act(browser, asking, "approve-change", reason="Theirs").status_code == 302
    host.color = "red"
    read_due_logos(now=utc_now())

    assert (Logo.objects.get().digest, host.asked) == (WantedLogo.objects.get().digest, 1)


def test_what_was_approved_is_shown_although_another_is_asked_for_at_once(
    api: Api, office: Office, asking: Merchant, host: Host
) -> None:
    browser = office(Role.FINANCE)
    read_wanted_logos(now=utc_now())
    seen = WantedLogo.objects.get().digest
    assert act(browser, asking, "approve-change", reason="Theirs").status_code == 302
    host.color = "red"
    another = {"logo_url": f"{URL}?2"}
    assert api(asking, live=True).patch(f"/v1/merchants/{asking.id}", another).status_code == 200

    read_wanted_logos(now=utc_now())
    read_due_logos(now=utc_now())

    assert (Logo.objects.get().digest, host.asked) == (seen, 1)
    read_wanted_logos(now=utc_now())
    assert (WantedLogo.objects.get().source_url, host.asked) == (f"{URL}?2", 2)


def test_none_comes_once_none_was_seen(office: Office, asking: Merchant, host: Host) -> None:
    browser, host.color = office(Role.FINANCE), ""
    read_wanted_logos(now=utc_now())
    assert "customers would see none: Answered 404." in opened(browser, asking, "approve-change")

    assert act(browser, asking, "approve-change", reason="Without").status_code == 302
    host.color = "red"
    read_due_logos(now=utc_now())
    read_due_logos(now=utc_now() + 2 * RETRY)

    assert (Logo.objects.get().digest, host.asked) == ("", 1)


def test_who_asks_again_after_a_refusal_is_read_again(
    api: Api, office: Office, asking: Merchant, host: Host
) -> None:
    """It may have put another picture at the same URL, because staff had declined that one."""
    browser = office(Role.FINANCE)
    read_wanted_logos(now=utc_now())
    declined = WantedLogo.objects.get()
    assert act(browser, asking, "decline-change", reason="A bank's").status_code == 302
    read_wanted_logos(now=utc_now())
    assert not WantedLogo.objects.exists()

    host.color = "red"
    again = {"logo_url": declined.source_url}
    assert api(asking, live=True).patch(f"/v1/merchants/{asking.id}", again).status_code == 200
    read_wanted_logos(now=utc_now())

    assert (WantedLogo.objects.get().digest == declined.digest, host.asked) == (False, 2)


def test_no_more_is_begun_once_a_turn_is_over(
    host: Host, asking: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two slow hosts took as long as a task may: the second was begun again each minute."""
    for _ in range(2):
        MerchantFactory(status="unverified", logo_url=URL)
    with monkeypatch.context() as slowly:
        instants = iter((0, 0, SECONDS))
        slowly.setattr("checkout.logos.time", SimpleNamespace(monotonic=instants.__next__))
        assert (tasks.read_logos(), host.asked) == (1, 1)

    assert tasks.read_wanted_logos() == 1
    assert WantedLogo.objects.get().merchant == asking


def test_one_that_comes_while_the_form_is_open_is_not_approved(
    office: Office, asking: Merchant, host: Host
) -> None:
    browser, host.color = office(Role.FINANCE), ""
    read_wanted_logos(now=utc_now())
    form = fields_of(opened(browser, asking, "approve-change")) | {"reason": "Without"}
    host.color = "red"
    read_wanted_logos(now=utc_now() + RETRY)

    tried = browser.post(page_of_act(asking, "approve-change"), form)

    assert tried.status_code == 422
    assert is_shown(WantedLogo.objects.get(), tried.content.decode())
    assert Merchant.objects.get(pk=asking.pk).logo_url == ""


def test_a_merchant_is_verified_with_the_logo_that_was_displayed(
    office: Office, host: Host
) -> None:
    merchant = MerchantFactory(status="unverified", logo_url=URL)
    browser = office(Role.FINANCE)
    assert act(browser, merchant, "verify", reason="Unseen").status_code == 422
    read_due_logos(now=utc_now())
    page = opened(browser, merchant, "verify")
    assert is_shown(Logo.objects.get(), page)
    host.color = "red"
    Logo.objects.update(renew_at=utc_now())
    read_due_logos(now=utc_now())

    tried = browser.post(page_of_act(merchant, "verify"), fields_of(page) | {"reason": "Seen"})

    assert tried.status_code == 422
    assert is_shown(Logo.objects.get(), tried.content.decode())
    assert act(browser, merchant, "verify", reason="Seen").status_code == 302
