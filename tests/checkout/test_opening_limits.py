"""Who knows the address of a link or counter cannot fill its merchant's list and events."""

from collections.abc import Callable

import pytest
from limits import RateLimitItemPerHour
from limits.strategies import SlidingWindowCounterRateLimiter
from pytest_django import Settings

from checkout import opening_limits
from core.clock import utc_now
from core.throttling import RateLimit
from core.visitor_budget import visitors
from links.models import PaymentLink
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.models import Merchant
from payments.models import Payment
from tests.checkout.shopper import Shopper
from webhooks.models import Event


@pytest.fixture(autouse=True)
def few(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two an hour be the most from one network, and three in all."""
    settings.VISITOR_SECONDS_PER_NETWORK = 60
    monkeypatch.setattr(visitors, "_burst_seconds", 1_000)  # what these pages take is not the point
    for name, most in (("PER_NETWORK", 2), ("PER_LINK", 3)):
        item = RateLimitItemPerHour(most)
        limit = RateLimit(name, item, SlidingWindowCounterRateLimiter)
        monkeypatch.setattr(opening_limits, name, limit)


@pytest.fixture
def link_of(merchant: Merchant) -> Callable[..., PaymentLink]:
    """Make a live link that asks for 1.50."""
    caller = Caller(merchant, livemode=True, actor="test")
    draft = LinkDraft(currency="BSD", amount=150)
    return lambda: create_link(caller=caller, draft=draft, now=utc_now())


@pytest.fixture
def counter(payment_of: Callable[..., Payment]) -> Payment:
    return payment_of(150, payment_mode="STATIC_PAY", expires_at=None, livemode=True)


def from_network(number: int) -> Shopper:
    shopper = Shopper()
    shopper.client.defaults["REMOTE_ADDR"] = f"198.51.{number}.7"
    return shopper


def opened_at_link(shopper: Shopper, link: PaymentLink) -> int:
    shopper.visit(f"/pay/{link.merchant.slug}/{link.id}")
    shopper.send()
    return shopper.response.status_code


def opened_by_button(shopper: Shopper, link: PaymentLink) -> int:
    return shopper.client.post(f"/pay/{link.merchant.slug}/{link.id}/button").status_code


def opened_at_counter(shopper: Shopper, counter: Payment) -> int:
    shopper.visit(counter.hosted_url)
    shopper.send()
    return shopper.response.status_code


@pytest.mark.parametrize("open_one", [opened_at_link, opened_by_button])
def test_a_network_opens_so_many_an_hour_at_a_link(
    link_of: Callable[..., PaymentLink], open_one: Callable[[Shopper, PaymentLink], int]
) -> None:
    link, other = link_of(), link_of()
    made = Event.objects.count()
    stranger, neighbour = from_network(1), from_network(1)

    assert [open_one(each, link) for each in (stranger, neighbour, stranger)] == [200, 200, 429]

    assert Payment.objects.filter(link=link).count() == 2
    assert Event.objects.count() == made + 2
    assert open_one(stranger, other) == 200
    assert [open_one(from_network(number), link) for number in (2, 3)] == [200, 429]


def test_a_network_opens_so_many_an_hour_at_a_counter(counter: Payment) -> None:
    stranger = from_network(1)

    assert [opened_at_counter(stranger, counter) for _ in range(3)] == [200, 200, 429]

    assert "Retry-After" in stranger.response
    assert Payment.objects.filter(static_payment=counter).count() == 2


def test_a_visitor_beyond_the_limit_is_told_to_sign_in_and_a_customer_to_wait(
    link_of: Callable[..., PaymentLink], browser: Shopper
) -> None:
    link, stranger = link_of(), from_network(1)
    for shopper in (stranger, browser):
        for _ in range(3):
            opened_at_link(shopper, link)

    assert '<a class="pay" href="/account">Sign in</a>' in stranger.text
    assert "Many payments were started here within an hour." in stranger.text
    assert "Too many attempts" in browser.text
    assert 'class="pay"' not in browser.text


def test_a_live_customer_pays_whatever_strangers_have_opened(
    link_of: Callable[..., PaymentLink], browser: Shopper
) -> None:
    link = link_of()
    for number in (1, 1, 2, 3):
        opened_by_button(from_network(number), link)

    assert [opened_at_link(browser, link) for _ in range(3)] == [200, 200, 429]


def test_in_development_no_one_is_limited(
    link_of: Callable[..., PaymentLink], settings: Settings
) -> None:
    settings.VISITOR_SECONDS_PER_NETWORK = 0
    link = link_of()

    assert {opened_by_button(from_network(1), link) for _ in range(4)} == {200}
