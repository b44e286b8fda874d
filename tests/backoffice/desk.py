"""A member of staff at a browser, on the phone with a caller; every click counts."""

from typing import TYPE_CHECKING, Any

from core.clock import utc_now
from tests.backoffice.conftest import PASSWORD, code_of, make_user
from tests.backoffice.conftest import sign_in as signed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Download, Locator, Page

    from backoffice.roles import Role

MAX_CLICKS = 5


class Desk:
    """Begins at the dashboard. A search is one click: so is the key that sends it."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.clicks = 0

    def search(self, text: str) -> None:
        """Type into the box, which has the focus already, and press Enter."""
        self.page.locator("#bo-search:focus").wait_for()
        self.page.keyboard.type(text)
        self._count()
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def follow(self, name: str) -> None:
        """Click a link that leads to another page."""
        self._click(self.page.get_by_role("main").get_by_role("link", name=name).first)

    def open_row(self, text: str) -> None:
        """Open the first row of a list that says so."""
        self._click(self.page.get_by_role("row").filter(has_text=text).get_by_role("link").first)

    def choose(self, name: str) -> None:
        """Open a list from the side bar."""
        self._click(self.page.get_by_role("link", name=name, exact=True))

    def open_menu(self, name: str) -> None:
        """Open a menu above a list; no other page is loaded."""
        self._count()
        self.page.locator("summary").filter(has_text=name).click()

    def send(self, name: str) -> None:
        """Press the button of a form."""
        self._click(self.page.get_by_role("button", name=name, exact=True))

    def fill(self, **values: str) -> None:
        """Fill fields in, by the names that they have in the form."""
        for name, value in values.items():
            self.page.locator(f"form [name={name}]").fill(value)

    def download(self, name: str) -> "Download":
        """Click a link that answers with a file."""
        self._count()
        with self.page.expect_download() as download:
            self.page.get_by_role("link", name=name).click()
        return download.value

    def sees(self, text: str) -> None:
        """Wait for words on the page."""
        self.page.get_by_text(text).first.wait_for()

    def _click(self, target: "Locator") -> None:
        self._count()
        with self.page.expect_navigation():
            target.click()

    def _count(self) -> None:
        self.clicks += 1
        assert self.clicks <= MAX_CLICKS, f"{MAX_CLICKS} clicks were not enough"


def open_desk(
    open_page: "Callable[..., Any]",
    role: "Role",
    path: str = "/admin/",
    *,
    width: int = 1440,
    **options: Any,
) -> Any:
    """Open a page as someone of this role, who has signed in without showing the forms.

    A page that a browser shows costs as much as several tests without one: `sign_in` shows three.
    """
    cookies = signed_in(role).cookies
    return open_page(path, width=width, height=900, cookies=cookies, **options)


def sign_in(page: "Page", role: "Role", name: str = "") -> None:
    """Enter the password and the code of someone of this role, and arrive at the dashboard."""
    user = make_user(role, name)
    page.locator("[name=username]").fill(user.username)
    page.locator("[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    field = page.locator("[name=code]")
    field.wait_for()  # a code is for half a minute
    field.fill(code_of(user, utc_now()))
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Dashboard").wait_for()
