"""Every kind of page of the back office, in light and in dark: accessible, never scrolled sideways.

The pages are opened by a browser in which an Administrator, who sees everything, has signed in.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import ViewportSize

from backoffice.models import Instruction
from backoffice.registry import ADMINS
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from customers.models import Customer
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.acting import page_of_act
from tests.backoffice.desk import open_desk, sign_in
from tests.backoffice.rows import one_of_each
from tests.chromium import violations
from tests.nights import at_night

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("development"),
]
SIGN_IN, SET_UP = "/admin/login/", "/admin/two-factor/set-up/"
# Another scheme changes nothing but colours.
CONTRAST = ("wcag2aa",)
DARK = "document.documentElement.classList.toggle('dark')"
DESK: ViewportSize = {"width": 1440, "height": 900}
AXES = "preceding", "following"
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"


def pages() -> Iterator[str]:
    """Yield the addresses: each list, a page of each kind, forms, and what has no model."""
    made: dict[Any, Any] = one_of_each()
    for model in ADMINS:
        yield f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    for model in (Payment, Customer, Merchant, Instruction):
        yield page_of(made[model])
    yield page_of_act(made[Payment], "refund")
    yield page_of_act(made[Customer], "unlock-pin")
    yield page_of_act(made[Merchant], "bank-account")
    yield from ("/admin/", "/admin/search/", "/admin/search/?q=12.50", "/admin/views/?path=/admin/")
    yield from ("/admin/two-factor/account/", "/admin/password_change/", "/admin/nowhere/")


def visit(page: "Page", site: str) -> Iterator[str]:
    """Open the pages one by one; yield the address of each while it is open."""
    yield SIGN_IN
    sign_in(page, Role.ADMINISTRATOR)
    for path in (*pages(), SET_UP):
        page.goto(site + path)
        assert page.url == site + path
        yield path


def faults_in_light(page: "Page") -> list[str]:
    return violations(page)


def faults_elsewhere(page: "Page") -> list[str]:
    """Return what is wrong with a page in dark, and on a phone."""
    page.evaluate(DARK)
    found = violations(page, CONTRAST)
    page.evaluate(DARK)
    page.set_viewport_size({"width": 360, "height": 640})
    overflow = page.evaluate(OVERFLOW)
    page.set_viewport_size(DESK)
    return [*found, f"{overflow} pixels too wide"] if overflow > 0 else found


@pytest.mark.parametrize(
    "faults",
    [faults_in_light, *at_night(faults_elsewhere, why="by day every page in light, on a desk")],
)
def test_nothing_is_wrong_with_any_page(open_page, site, faults):
    page = open_page("/admin/", **DESK)
    wrong = {path: faults(page) for path in visit(page, site)}

    assert len(wrong) > len(ADMINS)
    assert {path: found for path, found in wrong.items() if found} == {}


def test_marks_piled_up_before_they_were_refused_cover_no_fact_that_staff_see(open_page, site):
    payment: Any = one_of_each()[Payment]
    page = open_desk(open_page, Role.ADMINISTRATOR)
    seen = []
    for description in ("Cake", "Cake" + "\u0301" * 60 + "\u0323" * 60):
        Payment.objects.filter(pk=payment.pk).update(description=description)
        page.goto(site + page_of(payment))
        described = page.locator(".bo-facts dd", has_text="Cake")
        around = [described.locator(f"xpath={axis}-sibling::dd[1]") for axis in AXES]
        seen.append([each.screenshot() for each in around])

    assert seen[0] == seen[1]
