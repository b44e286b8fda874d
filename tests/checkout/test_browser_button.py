"""A shop's page with the button of a payment link, in a real browser and on a host of its own."""

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Page

from core.clock import utc_now
from links.models import PaymentLink
from links.services import LinkDraft, create_link, deactivate_link
from merchants.callers import Caller
from payments.models import Payment
from tests.checkout.steps import press, see_paid, sign_in
from tests.chromium import violations

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
HEARD = "paymentstarted", "paymentcompleted", "paymentended"
POLICY = "default-src 'none'; script-src {site}; connect-src {site}; base-uri 'none'"
LISTEN = f"""
window.heard = [];
for (const type of {list(HEARD)})
  document.addEventListener(type, (event) => heard.push([type, event.detail]));
"""
PAGE = "<!doctype html><html lang=en><title>Shop</title><main><h1>Shop</h1>"
OpenShop = Callable[..., Page]


@pytest.fixture
def link(merchant) -> PaymentLink:
    caller = Caller(merchant, livemode=False, actor="test")
    draft = LinkDraft(currency="BSD", amount=150, description="Gift card")
    return create_link(caller=caller, draft=draft, now=utc_now())


class ShopServer(ThreadingHTTPServer):
    page = policy = ""


class ShopPage(BaseHTTPRequestHandler):
    """Answers with the page of its server, under a strict policy."""

    server: ShopServer

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Security-Policy", self.server.policy)
        self.end_headers()
        self.wfile.write(self.server.page.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def shop_server() -> Iterator[ShopServer]:
    server = ShopServer(("127.0.0.1", 0), ShopPage)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def shop(open_page, site, link, shop_server) -> OpenShop:
    """Open the shop's page: on a host of its own, under a strict policy."""
    address = f"{site}/pay/{link.merchant.slug}/{link.id}"

    def open_shop(
        *,
        links: tuple[str, ...] = ("Gift card",),
        query: str = "",
        in_head: bool = False,
        **options: object,
    ) -> Page:
        page: Page = open_page("/healthz", allowed="127.0.0.1", **options)
        script = f"src={site}/pay/button.js data-link={address}{query}></script>"
        anchors = "".join(f"<a href={address}{query}>{name}</a>" for name in links)
        head, foot = (f"<script {script}", "") if in_head else ("", f"<script async {script}")
        shop_server.page = PAGE.replace("<main>", f"{head}<main>") + anchors + foot
        shop_server.policy = POLICY.format(site=site)
        page.add_init_script(LISTEN)
        page.goto(f"http://127.0.0.1:{shop_server.server_port}/")
        page.wait_for_load_state("networkidle")
        return page

    return open_shop


def test_on_a_desktop_it_shows_the_code_and_the_page_hears_that_it_was_paid(shop):
    page = shop(width=1280, height=800)
    page.get_by_role("link", name="Gift card").click()
    page.get_by_role("heading", name="Pay B$1.50").wait_for()
    assert page.get_by_role("img", name="QR code that opens the payment").is_visible()
    assert violations(page) == []

    with page.expect_popup() as opened:
        page.get_by_role("link", name="Pay on this device").click()
    _pay(opened.value)

    _hears(page, "paymentcompleted")
    assert page.get_by_role("dialog").count() == 0


def test_on_a_phone_it_opens_the_checkout_beside_the_page(shop):
    page = shop(width=360, has_touch=True, is_mobile=True)
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Gift card").click()
    _pay(opened.value)

    _hears(page, "paymentcompleted")


def test_a_page_that_was_forgotten_meanwhile_hears_it_all_the_same(shop):
    page = shop(width=360, has_touch=True, is_mobile=True)
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Gift card").click()
    opened.value.get_by_role("heading").first.wait_for()
    page.reload()
    _pay(opened.value)

    _hears(page, "paymentcompleted", first="")


def test_without_a_link_of_the_page_it_makes_one(shop):
    page = shop(width=1280, links=())

    page.get_by_role("link", name="Pay").click()
    page.get_by_role("heading", name="Pay B$1.50").wait_for()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("link", name="Pay").click()
    page.get_by_role("heading", name="Pay B$1.50").wait_for()
    assert Payment.objects.count() == 1


def test_in_the_head_it_waits_for_the_links_of_the_page_and_binds_each(shop):
    page = shop(width=1280, in_head=True, query="?from=mail#buy", links=("Gift card", "Buy now"))
    assert page.get_by_role("link").all_inner_texts() == ["Gift card", "Buy now"]

    for name in ("Buy now", "Gift card"):
        page.get_by_role("link", name=name).click()
        page.get_by_role("heading", name="Pay B$1.50").wait_for()
        page.get_by_role("button", name="Close").click()
    assert Payment.objects.count() == 1


def test_without_scripts_it_is_a_plain_link(shop):
    page = shop(javascript=False)
    page.get_by_role("link", name="Gift card").click()

    page.get_by_role("button", name="Pay B$1.50").wait_for()


def test_a_closed_link_says_so_on_its_own_page(shop, link):
    page = shop(width=1280)
    caller = Caller(link.merchant, livemode=False, actor="test")
    deactivate_link(caller=caller, link_id=link.id, now=utc_now())
    page.get_by_role("link", name="Gift card").click()

    page.wait_for_url(f"**/{link.id}")
    assert "Nothing has been taken now." in page.get_by_role("main").inner_text()


def _pay(checkout: Page) -> None:
    sign_in(checkout)
    press(checkout, "Pay B$1.50")
    see_paid(checkout)


def _hears(page: Page, last: str, *, first: str = "paymentstarted") -> None:
    """Wait until the page was told, of this payment and of nothing else."""
    page.wait_for_function("type => heard.at(-1)?.[0] === type", arg=last)
    payment = Payment.objects.get()
    expected = [[first, {"payment_id": payment.id, "status": "created"}]] if first else []
    expected.append([last, {"payment_id": payment.id, "status": payment.status}])
    assert page.evaluate("heard") == expected
