"""A browser that a phone has signed in with before keeps its codes, whatever strangers do."""

import pytest
from django.core import signing

from checkout.browser_session import KNOWN_COOKIE, KNOWN_FOR
from tests.checkout.shopper import Shopper

PHONE, OTHER = "+1 242 359 1234", "+1 242 359 5678"


@pytest.fixture
def live(payment_of):
    return payment_of(1_250, livemode=True)


def ask(shopper: Shopper, payment, phone: str = PHONE):
    shopper.visit(f"{payment.hosted_url}/phone")
    return shopper.send(phone=phone)


@pytest.fixture
def owner(live, texts) -> Shopper:
    shopper = Shopper()
    ask(shopper, live)
    shopper.send(code=texts.code)
    return shopper


@pytest.fixture
def exhausted(owner, live) -> None:
    """Strangers have asked for all codes of the phone that there are."""
    for _ in range(4):
        assert ask(Shopper(), live).status_code == 200
    assert ask(Shopper(), live).status_code == 422


@pytest.mark.usefixtures("exhausted")
def test_the_owner_gets_a_code_all_the_same(owner, live, texts):
    sent = len(texts.texts)

    assert ask(owner, live).status_code == 200
    assert len(texts.texts) == sent + 1


def test_a_browser_that_was_used_once_does_not_take_the_codes_of_the_owners_own(owner, live, texts):
    """The next guest at a hotel's computer locked the owner out, at every browser they have."""
    hotel = Shopper()
    ask(hotel, live)
    hotel.send(code=texts.code)
    hotel.client.cookies.pop("customer")
    while ask(hotel, live).status_code == 200:
        pass
    while ask(Shopper(), live).status_code == 200:
        pass
    sent = len(texts.texts)

    assert ask(owner, live).status_code == 200
    assert len(texts.texts) == sent + 1


def test_a_mark_from_before_browsers_had_ids_still_counts(owner, live, texts):
    digest, _browser = signing.loads(
        owner.client.cookies[KNOWN_COOKIE].value, salt="checkout.known", max_age=KNOWN_FOR
    )
    earlier = Shopper()
    earlier.client.cookies[KNOWN_COOKIE] = signing.dumps(digest, salt="checkout.known")
    while ask(Shopper(), live).status_code == 200:
        pass

    assert ask(earlier, live).status_code == 200


@pytest.mark.usefixtures("exhausted")
def test_a_forged_cookie_is_worth_nothing(owner, live):
    thief = Shopper()
    value = owner.client.cookies[KNOWN_COOKIE].value
    thief.client.cookies[KNOWN_COOKIE] = value[:-1] + ("A" if value[-1] != "A" else "B")

    assert ask(thief, live).status_code == 422


@pytest.mark.usefixtures("exhausted")
def test_another_phones_browser_is_a_stranger(live, texts):
    other = Shopper()
    ask(other, live, OTHER)
    other.send(code=texts.code)

    assert ask(other, live).status_code == 422


def test_the_cookie_names_no_phone(owner):
    cookie = owner.client.cookies[KNOWN_COOKIE]

    assert "3591234" not in cookie.value
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_a_test_sign_in_makes_no_browser_known(payment_of):
    shopper = Shopper()
    payment = payment_of(1_250)
    ask(shopper, payment, "+1 242 555 0100")
    shopper.send(code="000000")

    assert KNOWN_COOKIE not in shopper.client.cookies
