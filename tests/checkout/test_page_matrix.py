"""Every page of customers against every visitor: own, foreign, missing, other mode, signed out.

A page that is new has no entry, and fails here until it has one.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from checkout.browser_session import session_cookie
from core.clock import utc_now
from core.ids import new_id
from customers.models import Customer, CustomerSession
from customers.services import find_or_create, test_customer
from customers.sessions import start_session
from links.models import PaymentLink
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.models import Merchant
from payments.customer_steps import start_payment
from payments.models import Payment
from tests.factories import PaymentFactory
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db
# What a page is about. Pages of a payment open for anyone who has their address, as a bill on a
# table does; whose payment it became, and what that person has, is for that person alone.
PAYMENT, TOP_UP, LINK, COUNTER, ACCOUNT, CAPABILITY, OPEN = (
    "a payment", "a top-up", "a link", "a counter's secret", "the customer", "a secret address",
    "nothing",
)  # fmt: skip
PAGES = {
    "checkout-brand": OPEN,
    "checkout-logo": CAPABILITY,
    "checkout": PAYMENT,
    "checkout-status": PAYMENT,
    "checkout-pay": PAYMENT,
    "checkout-short": PAYMENT,
    "checkout-declined": PAYMENT,
    "checkout-prove": PAYMENT,
    "checkout-back": PAYMENT,
    "checkout-cancel": PAYMENT,
    "checkout-ask": PAYMENT,
    "checkout-replacement": PAYMENT,
    "checkout-simulate": PAYMENT,
    "checkout-phone": PAYMENT,
    "checkout-code": PAYMENT,
    "checkout-code-again": PAYMENT,
    "checkout-pin": PAYMENT,
    "checkout-new-pin": PAYMENT,
    "checkout-fresh-code": PAYMENT,
    "checkout-passkey": PAYMENT,
    "checkout-passkey-device": PAYMENT,
    "checkout-passkey-device-options": PAYMENT,
    "checkout-passkey-options": PAYMENT,
    "checkout-passkey-pin": PAYMENT,
    "checkout-passkey-new": PAYMENT,
    "checkout-passkey-new-options": PAYMENT,
    "checkout-qr": PAYMENT,
    "checkout-qr-svg": PAYMENT,
    "checkout-poster": PAYMENT,
    "checkout-poster-svg": PAYMENT,
    "button-script": OPEN,
    "button": LINK,
    "link": LINK,
    "link-poster": LINK,
    "link-poster-svg": LINK,
    "counter": COUNTER,
    "counter-feed": COUNTER,
    "receipt": PAYMENT,
    "receipt-pdf": PAYMENT,
    "receipt-proof": PAYMENT,
    "receipt-file": PAYMENT,
    "receipt-problem": PAYMENT,
    "account": ACCOUNT,
    "account-phone": ACCOUNT,
    "account-sign-in-options": ACCOUNT,
    "account-code": ACCOUNT,
    "account-code-again": ACCOUNT,
    "account-payments": ACCOUNT,
    "account-pin": ACCOUNT,
    "account-pin-forgotten": ACCOUNT,
    "account-pin-proof": ACCOUNT,
    "account-passkey-new": ACCOUNT,
    "account-passkey-options": ACCOUNT,
    "account-passkey-remove": ACCOUNT,
    "account-sign-out": ACCOUNT,
    "account-add": ACCOUNT,
    "account-email": ACCOUNT,
    "account-devices": ACCOUNT,
    "account-freeze": ACCOUNT,
    "top-up": TOP_UP,
    "top-up-status": TOP_UP,
    "top-up-cancel": TOP_UP,
    "not-me": CAPABILITY,
    "confirm-address": CAPABILITY,
    "policy-reports": OPEN,
}
WITH_AN_OBJECT = [name for name, about in PAGES.items() if about not in (ACCOUNT, OPEN)]
# The tools of test mode and "Cancel" take no more than the address, and who signs in may pay
# the bill of another: out of the own wallet.
BY_ADDRESS = {
    "checkout-simulate", "checkout-cancel", "checkout-pay", "checkout-prove", "checkout-back",
    "checkout-passkey-options",
}  # fmt: skip
METHODS = ("get", "post")


def _routes() -> dict[str, str]:
    """Return the route of each page of the checkout by its name."""
    [pages] = [
        resolver
        for resolver in get_resolver().url_patterns
        if isinstance(resolver, URLResolver)
        and getattr(resolver.urlconf_name, "__name__", "") == "checkout.urls"
    ]
    return {
        str(page.name): f"/{page.pattern}"
        for page in pages.url_patterns
        if isinstance(page, URLPattern)
    }


def _address(name: str, payment: str, link: PaymentLink, link_id: str) -> str:
    values = {
        "<id:payment_id>": payment,
        "<slug:merchant_slug>": link.merchant.slug,
        "<id:link_id>": link_id,
        "<id:top_up_id>": new_id("top", utc_now()),
        "<id:merchant_id>": new_id("mer", utc_now()),
        "<id:token>": "guessed",
        "<str:token>": "cus_1:guessed:guessed",
        "<slug:size>": "a4",
        "<slug:color>": "336699",
        "<slug:digest>": "abc",
        "<slug:handle>": "1",
    }
    route = _routes()[name]
    for place, value in values.items():
        route = route.replace(place, value)
    return route


def _visit(client: Client, name: str, method: str, address: str) -> Any:
    return getattr(client, method)(address)


@pytest.fixture
def owner(merchant: Merchant) -> Customer:
    return test_customer("+12425550100", utc_now(), merchant_id=merchant.id)


@pytest.fixture
def taken(merchant: Merchant, owner: Customer) -> Payment:
    """A payment that its customer has begun to pay."""
    payment = PaymentFactory(merchant=merchant, amount=1_250, customer=owner)
    start_payment(payment_id=payment.id, actor=f"customer:{owner.id}", now=utc_now())
    return payment


@pytest.fixture
def link(merchant: Merchant) -> PaymentLink:
    caller = Caller(merchant, livemode=False, actor="key:1")
    return create_link(caller=caller, draft=LinkDraft(currency="BSD", amount=500), now=utc_now())


def _browser(customer: Customer | None) -> Client:
    client = Client()
    if customer is not None:
        session = start_session(customer=customer, now=utc_now())
        client.cookies[session_cookie(livemode=customer.livemode)] = session.token
    return client


VISITORS: dict[str, Callable[[Merchant], Customer | None]] = {
    "foreign": lambda shop: test_customer("+12425550123", utc_now(), merchant_id=shop.id),
    "other mode": lambda shop: find_or_create(phone="+12423591234", now=utc_now()),
    "signed out": lambda shop: None,
}


def test_every_page_has_its_entry() -> None:
    assert set(PAGES) == set(_routes())


@pytest.mark.parametrize("visitor", VISITORS)
@pytest.mark.parametrize("method", METHODS)
def test_no_one_else_moves_or_reads_what_a_customer_has(
    taken: Payment, owner: Customer, link: PaymentLink, visitor: str, method: str
) -> None:
    who = VISITORS[visitor](taken.merchant)
    wrong = set()
    before = Payment.objects.filter(pk=taken.pk).values().get()
    for name in sorted(set(PAGES) - BY_ADDRESS):
        response = _visit(_browser(who), name, method, _address(name, taken.id, link, link.id))
        after = Payment.objects.filter(pk=taken.pk).values().get()
        shown = response.content.decode(errors="replace")
        if after != before or owner.masked_phone in shown or response.status_code >= 500:
            wrong.add(name)

    assert wrong == set()


@pytest.mark.parametrize("method", METHODS)
def test_what_is_missing_is_not_there(
    taken: Payment, owner: Customer, link: PaymentLink, method: str
) -> None:
    missing = new_id("pay", utc_now())
    statuses = {
        name: _visit(
            _browser(owner), name, method, _address(name, missing, link, new_id("link", utc_now()))
        ).status_code
        for name in WITH_AN_OBJECT
    }

    assert {name: status for name, status in statuses.items() if status not in (404, 405)} == {}
    assert 404 in statuses.values()


@pytest.mark.parametrize("name", [name for name, about in PAGES.items() if about == ACCOUNT])
def test_signed_out_the_own_page_shows_nothing(
    owner: Customer, link: PaymentLink, name: str
) -> None:
    _browser(owner)

    response = Client().get(_address(name, "", link, link.id))

    assert response.status_code in (200, 302, 303, 404, 405)
    assert owner.masked_phone not in response.content.decode()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_the_owner_reaches_the_payment_and_the_own_page(owner: Customer, taken: Payment) -> None:
    client = _browser(owner)

    assert owner.masked_phone in client.get(taken.hosted_url).content.decode()
    assert CustomerSession.objects.open(utc_now()).count() == 1
