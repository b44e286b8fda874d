"""Signing in by phone and code: what is asked, what is told, and what a thief learns."""

import html
import re

import pytest
from django.utils import translation

from checkout.forms import NOT_A_PHONE
from core.clock import utc_now
from customers.models import Customer, CustomerSession, SignInCode
from customers.services import find_or_create
from tests.checkout.shopper import Shopper, signed_in_at
from tests.factories import PaymentFactory


def at_phone(payment, **headers) -> Shopper:
    shopper = Shopper(**headers)
    shopper.visit(f"{payment.hosted_url}/phone")
    return shopper


def at_code(payment, phone="+1 242 555 0177") -> Shopper:
    shopper = at_phone(payment)
    shopper.send(phone=phone)
    return shopper


def without_tokens(text: str) -> str:
    """Return a page without what differs at every visit."""
    return re.sub(r'(value="[A-Za-z0-9]{64}"|nonce="[^"]+"|min left)', "", text)


def test_it_says_why_the_phone_is_asked_and_keeps_the_payee_in_sight(payment):
    shopper = at_phone(payment)

    assert "so that no one else can pay with your wallet" in shopper.text
    assert payment.merchant.name in shopper.text
    assert "B$12.50" in shopper.text


@pytest.mark.parametrize(
    "phone", ["2425550177", "(242) 555-0177", "+1 242 555 0177", "00 1 242 555 0177"]
)
def test_it_forgives_how_a_phone_is_typed(payment, phone):
    shopper = at_code(payment, phone)

    assert shopper.path.endswith("/code")
    assert SignInCode.objects.get().phone == "+12425550177"


@pytest.mark.parametrize(
    "phone", ["", "12", "call me", "+1 242 555 01778899", "1" * 41, "\u0661\u0662", "<b>"]
)
def test_it_says_what_a_phone_is_and_keeps_what_was_typed(payment, phone):
    shopper = at_phone(payment)
    response = shopper.send(phone=phone)

    assert response.status_code == 422
    assert "<title>Error: Your phone number" in shopper.text
    assert 'href="#id_phone"' in shopper.text
    assert "autofocus" in shopper.text
    assert shopper.form().fields["phone"] == phone
    assert SignInCode.objects.count() == 0


def test_a_wrong_code_says_how_many_attempts_are_left(payment):
    shopper = at_code(payment)
    response = shopper.send(code="123 456")

    assert response.status_code == 422
    assert "That code is not right. 4 attempts left." in shopper.text
    assert CustomerSession.objects.count() == 0


def test_five_wrong_codes_end_it_and_a_new_one_works(payment):
    shopper = at_code(payment)
    for _ in range(5):
        shopper.send(code="111111")
    assert "That code is not right, and no longer works. Ask for a new one." in shopper.text
    assert "attempts left" not in shopper.text
    shopper.send(code="000000")
    assert "That code has expired. Ask for a new one." in shopper.text

    shopper.send(to="/again")
    assert "A new code is on its way." in shopper.text
    shopper.send(code="000000")
    assert shopper.path.endswith("/pin")


def test_a_code_that_another_tab_has_replaced_is_said_to_be_over(payment, payment_of):
    shopper = at_code(payment)
    other = payment_of(150)
    form = shopper.form()
    shopper.visit(f"{other.hosted_url}/phone")
    shopper.send(phone="+1 242 555 0177")

    response = shopper.client.post(f"{payment.hosted_url}/code", form.fields | {"code": "000000"})

    assert response["Location"] == f"{payment.hosted_url}/phone?expired=1"
    shopper.visit(response["Location"])
    assert "That code has expired. Ask for a new one." in shopper.text
    assert shopper.form().fields["phone"] == "+12425550177"
    assert CustomerSession.objects.count() == 0


def test_a_new_code_for_the_own_page_is_said_to_be_on_its_way(payment):
    shopper = Shopper()
    shopper.visit(f"/account/phone?test={payment.id}")
    shopper.send(phone="+1 242 555 0177")
    shopper.send(to="/again")

    assert shopper.path == f"/account/code?test={payment.id}&again=1"
    assert "A new code is on its way." in shopper.text


def test_a_code_is_good_in_the_browser_that_asked_for_it_only(payment):
    at_code(payment)
    thief = Shopper()
    thief.visit(f"{payment.hosted_url}/code")

    assert thief.path.endswith("/phone")


def test_a_code_for_one_payment_is_not_asked_for_at_another(payment, payment_of):
    shopper = at_code(payment)
    shopper.visit(f"{payment_of(150).hosted_url}/code")

    assert shopper.path.endswith("/phone")


def test_signing_in_gives_a_new_token_and_ends_the_one_that_was_there(payment, payment_of):
    shopper = signed_in_at(payment, "+1 242 555 0177")
    first = shopper.client.cookies["customer-test"].value
    csrf = shopper.client.cookies["csrf"].value
    shopper.visit(f"{payment_of(150).hosted_url}/phone")
    shopper.send(phone="+1 242 555 0178")
    shopper.send(code="000000")

    second = shopper.client.cookies["customer-test"].value
    assert first != second
    assert shopper.client.cookies["csrf"].value != csrf
    ended = [session.ended_at is not None for session in CustomerSession.objects.order_by("pk")]
    assert ended == [True, False]


def test_a_token_planted_in_the_browser_opens_nothing_after_signing_in(payment):
    """Session fixation: the thief knows the token that the victim's browser came with."""
    planted = "A" * 43
    victim = Shopper()
    victim.client.cookies["customer-test"] = planted
    victim.visit(payment.hosted_url)
    victim.sign_in("+1 242 555 0177")

    thief = Shopper()
    thief.client.cookies["customer-test"] = planted
    thief.visit("/account?test=1")
    assert thief.path == "/account/phone?test=1"
    assert victim.client.cookies["customer-test"].value != planted


def test_known_and_unknown_phones_get_the_same_answer_byte_for_byte(payment_of):
    payment = payment_of(1_250, livemode=True)
    find_or_create(phone="+12424250177", now=utc_now())
    known, unknown = at_code(payment, "+1 242 425 0177"), at_code(payment, "+1 242 425 0178")

    assert known.response.status_code == unknown.response.status_code
    assert Customer.objects.count() == 1
    assert without_tokens(known.text).replace("0177", "") == without_tokens(unknown.text).replace(
        "0178", ""
    )


def test_the_cookies_cannot_be_read_or_sent_along_by_others(payment):
    shopper = signed_in_at(payment)

    for name in ("customer-test", "csrf", "code"):
        cookie = shopper.client.cookies[name]
        assert cookie["httponly"], name
        assert cookie["samesite"] == "Lax", name


def test_behind_https_the_cookies_belong_to_this_host_alone(payment, settings):
    settings.SESSION_COOKIE_SECURE = True
    shopper = Shopper()
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    shopper.send(phone="+1 242 555 0177")

    cookie = shopper.client.cookies["__Host-code"]
    assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", "")


def test_the_text_names_payee_and_amount(payment_of, merchant, capsys):
    merchant.name = "Conch & Co."
    merchant.save()
    at_code(payment_of(1_250, livemode=True), "+1 242 425 0177")

    said = capsys.readouterr().out
    assert "is your code to pay B$12.50 to Conch & Co" in said


def test_too_many_texts_are_refused_with_the_time_to_wait(payment_of):
    payment = payment_of(1_250, livemode=True)
    for _ in range(5):
        at_code(payment, "+1 242 425 0177")
    shopper = at_code(payment, "+1 242 425 0177")

    assert shopper.path.endswith("/phone")
    assert "Too many attempts. Try again in 60 minutes." in shopper.text


@pytest.mark.parametrize("language", ["en", "es", "fr", "ht"])
@pytest.mark.parametrize("typed", ["1" * 300, "1\x00"])
def test_what_cannot_be_read_is_told_in_words_of_our_own(payment, language, typed):
    shopper = at_phone(payment, accept_language=language)
    shopper.send(phone=typed)

    with translation.override(language):
        assert str(NOT_A_PHONE) in html.unescape(shopper.text)


@pytest.mark.parametrize("at", ["/pin", "/pay"])
def test_who_is_signed_out_at_work_is_told_and_pays_after_signing_in(payment, at):
    """The page asked for the phone number as if nothing had been entered."""
    shopper = signed_in_at(payment)
    if at == "/pay":
        shopper.send(to="/back")
    CustomerSession.objects.update(ended_at=utc_now())

    shopper.send(to=at if at == "/pay" else "", pin="1234")

    assert shopper.path == f"{payment.hosted_url}/phone?signed-out=1"
    assert "You have been signed out meanwhile, and nothing was done." in shopper.text
    assert "No money has been taken." in shopper.text
    shopper.send(phone="+1 242 555 0100")
    shopper.send(code="000000")
    shopper.send(pin="1234")
    assert "<h1>Paid</h1>" in shopper.text


def test_who_is_signed_out_at_a_page_that_asks_for_no_pin_is_told_so(merchant):
    """The next page asked for the phone number without a word of why."""
    small = PaymentFactory(merchant=merchant, amount=150)
    shopper = Shopper()
    shopper.visit(small.hosted_url)
    shopper.sign_in()
    assert ">Pay B$1.50</button>" in shopper.text
    CustomerSession.objects.update(ended_at=utc_now())

    shopper.send(to="/pay")

    assert shopper.path == f"{small.hosted_url}/phone?signed-out=1"
    assert "You have been signed out meanwhile, and nothing was done." in shopper.text
    assert "No money has been taken." in shopper.text


def test_a_pin_from_a_page_of_the_previous_release_tells_of_a_sign_out(payment):
    """That page had no mark of its own: the field of the PIN was one."""
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    shopper.send(to="/pay", pin="1234")

    assert shopper.path == f"{payment.hosted_url}/phone?signed-out=1"


def test_a_first_press_of_pay_tells_of_no_sign_out(payment):
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    shopper.send(to="/pay")

    assert shopper.path == f"{payment.hosted_url}/phone"
    assert "You have been signed out" not in shopper.text


def test_who_only_opens_a_step_without_a_session_is_told_of_no_sign_out(payment):
    stranger = Shopper()
    stranger.visit(f"{payment.hosted_url}/pin")

    assert "signed-out" not in stranger.path
    assert "You have been signed out" not in stranger.text


def test_the_own_page_says_that_the_session_has_ended(payment):
    shopper = Shopper()
    shopper.visit(f"/account?test={payment.id}")
    shopper.send(phone="+1 242 555 0177")
    shopper.send(code="000000")
    shopper.visit(f"/account/pin?test={payment.id}")
    CustomerSession.objects.update(ended_at=utc_now())

    shopper.send(old="1234", pin="7291")

    assert shopper.path == f"/account/phone?test={payment.id}&signed-out=1"
    assert "You have been signed out meanwhile, and nothing was done." in shopper.text
    assert "No money has been taken." not in shopper.text
