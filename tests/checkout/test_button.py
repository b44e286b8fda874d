"""The button of a payment link on a merchant's page: what its script asks for."""

import pytest
from django.test import Client

from core.clock import utc_now
from core.ids import new_id
from links.models import PaymentLink
from links.services import LinkDraft, create_link, deactivate_link
from merchants.callers import Caller
from payments.models import Payment

SHOP = {"Origin": "https://shop.example"}


@pytest.fixture
def link(merchant) -> PaymentLink:
    caller = Caller(merchant, livemode=False, actor="test")
    draft = LinkDraft(currency="BSD", amount=2_500, metadata={"a": "b"})
    return create_link(caller=caller, draft=draft, now=utc_now())


def press(link: PaymentLink, language: str = "en"):
    client = Client(enforce_csrf_checks=True)
    headers = SHOP | {"Accept-Language": language}
    return client.post(f"/pay/{link.merchant.slug}/{link.id}/button", headers=headers)


def test_it_opens_a_payment_whose_status_any_site_may_ask(link):
    answer = press(link)

    payment = Payment.objects.get(link=link)
    started = answer.json()
    assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (200, "*")
    assert (answer["Cache-Control"], answer.cookies) == ("no-store", {})
    assert started["payment_id"] == payment.id
    assert started["checkout_url"].endswith(payment.hosted_url)
    assert started["words"]["title"] == "Pay B$25.00"
    assert (payment.amount, payment.metadata) == (2_500, {"a": "b"})
    status = Client().get(f"{payment.hosted_url}/status", headers=SHOP)
    assert status.json() == {"status": "created", "version": "open"}
    assert status["Access-Control-Allow-Origin"] == "*"


def test_it_speaks_the_visitors_language(link):
    words = press(link, "fr").json()["words"]

    assert (words["here"], words["close"]) == ("Payer sur cet appareil", "Fermer")


def test_its_code_has_the_form_of_one(link):
    code = press(link).json()["qr"]

    assert code["size"] >= 21
    assert code["path"].startswith("M0 0h1v1h-1z")


def test_a_link_that_is_closed_says_so(link):
    deactivate_link(
        caller=Caller(link.merchant, livemode=False, actor="test"), link_id=link.id, now=utc_now()
    )
    answer = press(link)

    assert (answer.status_code, answer.json()["code"]) == (422, "PAYMENT_LINK_INACTIVE")
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert Payment.objects.count() == 0


def test_a_link_without_an_amount_starts_nothing(link):
    PaymentLink.objects.update(amount=None)

    assert press(link).json()["code"] == "INVALID_AMOUNT"
    assert Payment.objects.count() == 0


def test_a_link_is_found_under_its_merchant_only(link):
    answer = Client().post(f"/pay/another-shop/{link.id}/button")
    missing = Client().post(f"/pay/{link.merchant.slug}/{new_id('link', utc_now())}/button")

    assert (answer.status_code, answer.json()) == (404, missing.json())
    assert Payment.objects.count() == 0


def test_the_script_is_for_every_site_and_known_by_its_content():
    script = Client().get("/pay/button.js")

    assert script["Content-Type"] == "text/javascript"
    assert script["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert script["Cache-Control"] == "public, max-age=3600"
    again = Client().get("/pay/button.js", headers={"If-None-Match": script["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("word", ["eval(", "innerHTML", ".style", "Function(", "document.cookie"])
def test_the_script_needs_no_exception_of_a_policy(word):
    assert word not in Client().get("/pay/button.js").content.decode()
