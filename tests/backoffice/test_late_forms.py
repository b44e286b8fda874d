"""A form that is submitted after the session, or the token in it, has ended."""

import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from backoffice.models import Note
from backoffice.roles import Role
from backoffice.services.accounts import give_roles
from tests.backoffice.acting import page_of_act
from tests.backoffice.conftest import Office
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def form() -> str:
    """The address of the form of a note on a payment."""
    return page_of_act(PaymentFactory(), "note")


def test_a_form_after_the_session_is_said_to_have_done_nothing(form: str) -> None:
    response = Client().post(form, {"text": " "})

    assert response.headers["Location"] == f"/admin/login/?unsent=1&next={form}"
    page = Client().get(response.headers["Location"]).content.decode()
    assert "You had been signed out, and nothing was done." in page
    assert not Note.objects.exists()


def test_a_form_after_the_session_gives_back_what_was_typed(form: str) -> None:
    typed = {"text": "Called <twice>", "reason": "Cold", "note": "At noon"}
    link = {"recipient": "pat@shop.example", "description": "Two cakes"}
    proof = {"answer": "12.50", "amount": "12.50", "email": "ann@old.example", "code": "123456"}

    response = Client().post(form, typed | link | proof)

    page = response.content.decode()
    assert response.status_code == 403
    assert "You had been signed out, and nothing was done." in page
    assert re.findall('bo-typed" id="[^"]*">([^<]*)<', page) == [
        *("pat@shop.example", "Two cakes", "Called &lt;twice&gt;", "Cold", "At noon")
    ]
    assert [text for text in proof.values() if text in page] == []
    assert "What you entered, to copy:" not in page  # it is said along with where to sign in
    assert f"/admin/login/?unsent=1&amp;next={form}" in page
    assert "Called" not in str(response.headers)
    assert not Note.objects.exists()


@pytest.mark.parametrize(
    ("site", "given"), [("same-origin", True), ("same-site", False), ("cross-site", False)]
)
def test_only_our_own_form_with_an_old_token_gives_back_what_was_typed(
    office: Office, form: str, site: str, given: bool
) -> None:
    client = office(Role.SUPPORT)
    client.handler.enforce_csrf_checks = True

    response = client.post(form, {"text": "Called twice"}, headers={"sec-fetch-site": site})

    assert response.status_code == 403
    assert ("Called twice" in response.content.decode()) is given


def test_a_form_of_a_role_taken_away_gives_back_what_was_typed(office: Office, form: str) -> None:
    client = office(Role.SUPPORT)
    give_roles(User.objects.get(username="support"), frozenset({Role.VIEWER}))

    response = client.post(form, {"text": "Called <twice>"})

    page = response.content.decode()
    assert response.status_code == 403
    assert "Your role does not allow this." in page
    assert "What you entered, to copy:" in page
    assert "Called &lt;twice&gt;" in page
    assert not Note.objects.exists()


def test_a_form_about_what_is_gone_gives_back_what_was_typed(office: Office) -> None:
    payment = PaymentFactory()
    form = page_of_act(payment, "note")
    payment.delete()

    response = office(Role.SUPPORT).post(form, {"text": "Called twice", "code": "123456"})

    page = response.content.decode()
    assert response.status_code == 404
    assert ("Called twice" in page, "123456" in page) == (True, False)
    assert "to copy" not in office(Role.SUPPORT).get(form).content.decode()


def test_a_page_after_the_session_asks_to_sign_in_only(form: str) -> None:
    response = Client().get(form)

    assert response.headers["Location"] == f"/admin/login/?next={form}"
    assert "nothing was done" not in Client().get(response.headers["Location"]).content.decode()


def test_signing_out_twice_leads_to_the_sign_in_page_without_a_word() -> None:
    response = Client().post(reverse("admin:logout"), follow=True)

    assert "nothing was done" not in response.content.decode()


@pytest.mark.parametrize("is_signed_in", [True, False])
def test_a_form_with_an_old_token_is_refused_on_a_page_of_staff(
    office: Office, form: str, is_signed_in: bool
) -> None:
    client = office(Role.SUPPORT) if is_signed_in else Client()
    client.handler.enforce_csrf_checks = True
    client.cookies[settings.CSRF_COOKIE_NAME] = "c" * 32

    response = client.post(form, {"text": "Called twice"})

    page = response.content.decode()
    assert response.status_code == 403
    assert "This page was open too long, and nothing was done." in page
    assert "No money has been taken" not in page
    assert ("Payments" in page, "Kreyòl" in page) == (True, False)
    assert not Note.objects.exists()


def test_a_form_of_a_browser_that_keeps_no_cookies_says_what_to_do(form: str) -> None:
    response = Client(enforce_csrf_checks=True).post(form, {"text": "Called twice"})

    page = response.content.decode()
    assert response.status_code == 403
    assert "Your browser sent no cookie, and nothing was done." in page
    assert "Allow this site to keep cookies, and open that page again." in page
    assert "open too long" not in page


def test_who_signs_out_reads_the_words_of_the_button(office: Office) -> None:
    client = office(Role.SUPPORT)
    assert ">Sign out</button>" in client.get("/admin/").content.decode()

    page = client.post(reverse("admin:logout")).content.decode()

    assert "<h1>Signed out</h1>" in page
    assert "Logged out" not in page


def test_a_form_of_a_customer_with_an_old_token_is_refused_on_a_page_of_theirs() -> None:
    path = f"/checkout/{PaymentFactory().pk}/pay"

    response = Client(enforce_csrf_checks=True).post(path)

    page = response.content.decode()
    assert response.status_code == 403
    assert ("Continue with the payment" in page, "Kreyòl" in page) == (True, True)
    assert "You have signed in or out since" not in page
