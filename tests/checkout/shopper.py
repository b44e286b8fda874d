"""A customer at the checkout without JavaScript: opens pages, fills forms in, follows redirects."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from django.test import Client

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

    from payments.models import Payment

REDIRECTS = (301, 302, 303, 307, 308)
SAME_FORM = (307, 308)
MAX_REDIRECTS = 10


@dataclass
class FormOnPage:
    """A form as the browser would send it: its hidden fields and where it goes."""

    action: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[str] = field(default_factory=list)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[FormOnPage] = []

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(FormOnPage(given.get("action", "")))
        elif tag == "input" and self.forms and "name" in given:
            self.forms[-1].fields[given["name"]] = given.get("value", "")
        elif tag == "button" and self.forms and "name" in given:
            self.forms[-1].buttons.append(given["value"])


class Shopper:
    """`visit` a path, then `send` a form of the page; CSRF is enforced as in production."""

    def __init__(self, **headers: str) -> None:
        self.client = Client(enforce_csrf_checks=True, headers=headers or None)
        self.path = ""
        self.response: Response

    @property
    def text(self) -> str:
        return self.response.content.decode()

    def visit(self, path: str) -> "Response":
        return self._arrive(path, self.client.get(path))

    def send(self, *, to: str = "", **values: str) -> "Response":
        """Send the form that goes to an address ending in `to`, or the first one to this page."""
        form = self.form(to)
        path = urljoin(self.path, form.action) if form.action else self.path
        fields = form.fields | values
        return self._arrive(path, self.client.post(path, fields), fields)

    def form(self, to: str = "") -> FormOnPage:
        parser = _Forms()
        parser.feed(self.text)
        found = [form for form in parser.forms if form.action.split("?")[0].endswith(to)]
        assert found, f"no form to {to!r} at {self.path}"
        return next((form for form in found if to or not form.action), found[0])

    def sign_in(self, phone: str = "+1 242 555 0100", code: str = "000000") -> "Response":
        """From the review page, or a link's, through phone and code."""
        if not self.path.endswith("/phone"):
            self.send(to="/pay")
        self.send(phone=phone)
        return self.send(code=code)

    def _arrive(
        self, path: str, response: "Response", fields: dict[str, str] | None = None
    ) -> "Response":
        for _ in range(MAX_REDIRECTS):
            if response.status_code not in REDIRECTS:
                break
            path = urljoin(path, response["Location"])
            if response.status_code in SAME_FORM and fields:
                response = self.client.post(path, fields)
            else:
                response = self.client.get(path)
        assert response.status_code not in REDIRECTS, f"led in circles to {path}"
        self.path, self.response = path, response
        return response


def signed_in_at(payment: "Payment", phone: str = "+1 242 555 0100") -> Shopper:
    """Return a customer who has opened a payment and signed in, at the step that follows."""
    shopper = Shopper()
    shopper.visit(payment.hosted_url)
    shopper.sign_in(phone)
    return shopper
