"""The reference in a real browser: what a developer copies is not cut off, nothing is refused."""

import pytest
from playwright.sync_api import Browser

OVERFLOWING = """
[...document.querySelectorAll("pre")].filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.innerText.slice(0, 40))
"""
LOADING = "getComputedStyle(document.querySelector('redoc'), '::before').content"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.night("the document of every operation takes a browser long to draw"),
    pytest.mark.django_db(transaction=True),
]


def test_no_program_of_the_reference_is_cut_off(chromium: Browser, site: str) -> None:
    """ReDoc colours programs by rules of its own, which keep lines whole."""
    page, said = chromium.new_page(viewport={"width": 1280, "height": 900}), []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{site}/docs")
    page.locator("pre code .token").first.wait_for(timeout=120_000)

    assert page.locator("pre").count() > 1
    assert page.evaluate(OVERFLOWING) == []
    page.get_by_text("API docs by Redocly").wait_for()
    assert page.get_by_alt_text("redocly logo").count() == 0, "hidden, as it cannot be shown"
    assert said == [], "the policy refused nothing"
    page.close()


def test_while_the_reference_is_being_drawn_it_says_so(chromium: Browser, site: str) -> None:
    page = chromium.new_page()
    page.route("**/v1/openapi.json", lambda _route: None)  # never answered
    page.goto(f"{site}/docs")

    assert page.evaluate(LOADING) == '"Loading the reference …"'
    page.unroute_all()
    page.goto(f"{site}/docs")
    page.locator("pre code .token").first.wait_for(timeout=120_000)
    assert page.evaluate(LOADING) == "none"
    page.close()
