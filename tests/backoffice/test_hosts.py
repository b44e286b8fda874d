"""A shop is found by the host of its endpoint or website, as its developers name it."""

import pytest

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from tests.backoffice.conftest import Office
from tests.backoffice.rows import caller_of
from tests.backoffice.searching import search
from tests.factories import MerchantFactory
from webhooks.endpoints import create_webhook, delete_webhook
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db


def endpoint_at(url: str, merchant: Merchant) -> Webhook:
    return create_webhook(
        caller=caller_of(merchant), url=url, events=["*"], description="", now=utc_now()
    ).webhook


@pytest.mark.parametrize(
    "text",
    [
        "yourstore.com",
        "YourStore.com",
        "hooks.yourstore.com",
        "https://hooks.yourstore.com/",
        "https://hooks.yourstore.com/paid",
        "yourstore.com/paid",
        "yourstore",
    ],
)
@pytest.mark.parametrize("role", [Role.SUPPORT, Role.DEVELOPER])
def test_an_endpoint_is_found_by_its_host(
    office: Office, merchant: Merchant, text: str, role: Role
) -> None:
    wanted = endpoint_at("https://hooks.yourstore.com/paid", merchant)
    endpoint_at("https://another.example/paid", merchant)

    assert search(office, text, role) == page_of(wanted)


def test_deleted_ones_come_last_and_say_so(office: Office, merchant: Merchant) -> None:
    now = utc_now()
    kept, gone = (endpoint_at("https://shop.example/hook", merchant) for _ in range(2))
    delete_webhook(caller=caller_of(merchant), webhook_id=gone.pk, now=now)

    page = search(office, "shop.example")

    assert "Webhook endpoints" in page
    assert 0 < page.index(kept.pk) < page.index(gone.pk)
    assert ">deleted<" in page


def test_a_shops_name_opens_the_shop_whose_host_has_it_too(office: Office) -> None:
    shop = MerchantFactory(name="Island Coffee")
    endpoint_at("https://island.example/hook", shop)

    assert search(office, "island") == page_of(shop)


def test_a_shop_is_found_by_its_website(office: Office) -> None:
    wanted = MerchantFactory(name="Island Coffee", website="https://coffee.example/menu")
    MerchantFactory(website="https://tea.example")

    assert search(office, "coffee.example") == page_of(wanted)


@pytest.mark.parametrize("text", ["12.50", "1.000", "2026-11-03", "pat@shop.example", "hook", "sh"])
def test_what_is_no_host_finds_no_endpoint(office: Office, merchant: Merchant, text: str) -> None:
    endpoint_at("https://shop.example/hook/12.50/1.000/2026-11-03", merchant)

    assert "Webhook endpoints" not in search(office, text)
