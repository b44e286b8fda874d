"""The reference in a real browser: what a developer copies is not cut off, nothing is refused."""

import pytest
from playwright.sync_api import Browser

OVERFLOWING = """
[...document.querySelectorAll("pre")].filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.innerText.slice(0, 40))
"""
LOADING = "getComputedStyle(document.querySelector('redoc'), '::before').content"
# Which texts are drawn in less than the contrast that WCAG asks for, on what is behind them
FAINT = """
() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (value) => ((value / 255 + 0.055) / 1.055) ** 2.4;  // near enough, also for black
  const light = ([red, green, blue]) =>
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const behind = (element) => {
    const colour = channels(getComputedStyle(element).backgroundColor);
    if ((colour[3] ?? 1) > 0.5) return light(colour);
    return element.parentElement ? behind(element.parentElement) : 1;
  };
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim();
  return [...document.querySelectorAll(".redoc-wrap *")]
    .filter((each) => each.getClientRects().length && [...each.childNodes].some(isText))
    .filter((each) => {
      const [a, b] = [light(channels(getComputedStyle(each).color)), behind(each)];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
    })
    .map((each) => each.textContent.trim().slice(0, 40));
}
"""
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


def test_in_the_dark_it_is_dark_and_legible(chromium: Browser, site: str) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 900}, color_scheme="dark")
    page.goto(f"{site}/docs")
    page.locator("pre code .token").first.wait_for(timeout=120_000)

    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == (
        "rgb(11, 20, 23)"
    )
    assert page.evaluate(FAINT) == []
    page.emulate_media(color_scheme="light")
    page.locator("html:not(.dark)").wait_for()
    page.close()
