"""The token of a page's forms: made in fewer calls, and good for Django's own check."""

import re

from django.test import Client

from payments.models import Payment

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]*)"')


def test_every_form_of_a_page_has_a_token_that_django_takes(payment: Payment) -> None:
    browser = a_browser()

    tokens = tokens_of(payment, browser)

    assert len(tokens) == 2  # the form that pays, and the tools of test mode
    assert [answer_to(payment, browser, token) for token in tokens] == [303, 303]


def test_it_covers_the_secret_of_the_cookie_anew_on_each_page(payment: Payment) -> None:
    browser = a_browser()
    browser.cookies["csrf"] = secret = "aZ09" * 8

    tokens = {token for _ in range(5) for token in tokens_of(payment, browser)}

    assert len(tokens) == 5
    assert not [token for token in tokens if secret in token]
    assert {answer_to(payment, browser, token) for token in tokens} == {303}
    assert browser.cookies["csrf"].value == secret


def test_the_token_of_another_visitor_is_refused(payment: Payment) -> None:
    browser, other = a_browser(), a_browser()
    tokens_of(payment, browser)

    assert {answer_to(payment, browser, it) for it in tokens_of(payment, other)} == {403}


def a_browser() -> Client:
    return Client(enforce_csrf_checks=True)


def tokens_of(payment: Payment, browser: Client) -> list[str]:
    return TOKEN.findall(browser.get(payment.hosted_url).content.decode())


def answer_to(payment: Payment, browser: Client, token: str) -> int:
    """Return the status of the answer to a press on Pay."""
    pressed = browser.post(f"{payment.hosted_url}/pay", {"csrfmiddlewaretoken": token})
    return pressed.status_code
