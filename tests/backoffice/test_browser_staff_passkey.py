"""An invited colleague of Finance in a browser: a link, a password, a passkey, the dashboard."""

import pytest
from django.contrib.auth.models import User

from backoffice.authenticators import StaffPasskey
from backoffice.roles import Role
from backoffice.services.accounts import create_account
from backoffice.services.staff_mail import invitation_url
from tests.chromium import add_authenticator, violations

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSWORD = "tall ship sails"


def sign_in(page) -> None:
    page.locator("[name=username]").fill("anna")
    page.locator("[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")


def test_a_passkey_is_made_and_signs_in(open_page, site):
    user = create_account(username="anna", role=Role.FINANCE)
    page = open_page(invitation_url(user).removeprefix(site), width=1440, height=900)
    add_authenticator(page)
    wrong = {"invitation": violations(page)}
    page.locator("[name=new_password1]").fill(PASSWORD)
    page.locator("[name=new_password2]").fill(PASSWORD)
    page.get_by_role("button", name="Choose password").click()
    sign_in(page)
    page.get_by_role("heading", name="Add a passkey").wait_for()
    wrong["set up"] = violations(page)
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_text("The passkey is ready.").wait_for()
    page.goto(f"{site}/admin/two-factor/account/")
    wrong["account"] = violations(page)
    assert StaffPasskey.objects.get().user == User.objects.get(username="anna")

    page.context.clear_cookies()
    page.goto(f"{site}/admin/")
    sign_in(page)
    page.get_by_role("heading", name="One more step").wait_for()
    wrong["sign in"] = violations(page)
    page.get_by_role("button", name="Use your passkey").click()
    page.get_by_role("heading", name="Dashboard").wait_for()

    assert {name: found for name, found in wrong.items() if found} == {}


def test_a_dialog_that_was_closed_leaves_a_next_step(open_page, site):
    user = create_account(username="anna", role=Role.FINANCE)
    user.set_password(PASSWORD)
    user.save()
    page = open_page("/admin/", width=1440, height=900)
    devtools, device = add_authenticator(page)
    sign_in(page)
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_text("The passkey is ready.").wait_for()
    devtools.send("WebAuthn.clearCredentials", {"authenticatorId": device})
    page.context.clear_cookies()
    page.goto(f"{site}/admin/")
    sign_in(page)
    page.get_by_role("button", name="Use your passkey").click()

    page.get_by_text("The dialog was closed before it finished.").wait_for()
    assert page.get_by_role("button", name="Use your passkey").is_enabled()


def test_support_may_choose_between_passkey_and_authenticator(open_page, site):
    user = create_account(username="anna", role=Role.SUPPORT)
    user.set_password(PASSWORD)
    user.save()
    page = open_page("/admin/", width=1440, height=900)
    add_authenticator(page)
    sign_in(page)
    page.get_by_role("link", name="Use a passkey instead").click()
    page.get_by_role("heading", name="Add a passkey").wait_for()
    wrong = {"set up": violations(page)}
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_role("heading", name="Your recovery codes").wait_for()

    page.context.clear_cookies()
    page.goto(f"{site}/admin/")
    sign_in(page)
    page.get_by_role("link", name="Enter a code instead").wait_for()
    wrong["sign in"] = violations(page)
    page.get_by_role("button", name="Use your passkey").click()
    page.get_by_role("heading", name="Dashboard").wait_for()

    assert {name: found for name, found in wrong.items() if found} == {}
