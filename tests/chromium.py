"""Chromium, and what a page must not do while a person uses it."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.customers.authenticator import VirtualAuthenticator

# Chromium without a window of its own: a page in it takes a quarter of the processor's time. Where
# a machine has only the one with windows, that shows the same.
PROGRAMS = ("chromium-headless-shell", "chromium")
PROGRAM = next(filter(shutil.which, PROGRAMS), PROGRAMS[0])
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
    # No page lives long enough for its script to be worth optimizing.
    "--js-flags=--no-opt,--no-maglev,--always-sparkplug",
]
# On a machine that has nothing else to do; on one that has, a wait ends before its test is ended.
WAIT_MILLISECONDS, LONGEST_WAIT_MILLISECONDS = 30_000, 120_000
AXE = Path(__file__).parent / "axe" / "axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
# What a screen reader stops at or tells; what is within a LEAF is its name.
TOLD = {
    "alert", "button", "heading", "image", "link", "radio", "region", "spinbutton", "status",
    "textbox",
}  # fmt: skip
LEAVES = {"button", "heading", "image", "link", "radio", "spinbutton", "textbox"}
STATES = {"live": "", "invalid": "false", "focused": "", "pressed": "", "expanded": ""}
RUN_AXE = """
async (tags) => (await axe.run(document, {
  runOnly: {type: "tag", values: tags}, resultTypes: ["violations"],
})).violations
  .map((found) => `${found.id}: ${found.nodes.map((node) => node.target).join(", ")}`)
"""


@contextmanager
def launched() -> Iterator[Browser]:
    """Start the browser. Its driver runs a loop in this thread, which Django takes for async."""
    with sync_playwright() as playwright:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
        program = shutil.which(PROGRAM)
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def address_of(server: LiveServer) -> str:
    """Return its address by the name for which a browser lets it use passkeys."""
    return server.url.replace("127.0.0.1", "localhost")


class Watched:
    """Profiles that note every request to another host and every error in the console."""

    def __init__(self, browser: Browser, site: str) -> None:
        self.browser = browser
        self.site = site
        self.contexts: list[BrowserContext] = []
        self.foreign: list[str] = []
        self.errors: list[str] = []

    def open(
        self,
        path: str,
        *,
        width: int = 360,
        height: int = 640,
        javascript: bool = True,
        allowed: str = "",
        cookies: SimpleCookie | None = None,
        **options: Any,
    ) -> Page:
        """Open a page in a profile of its own. `allowed` is a host that the test means to visit.

        `cookies` are those of one of Django's clients, which has signed in.
        """
        options = {"reduced_motion": "reduce", "locale": "en"} | options
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, java_script_enabled=javascript, **options
        )
        context.set_default_timeout(_wait_milliseconds())
        context.grant_permissions(["screen-wake-lock"])  # as a browser with a window does unasked
        self.contexts.append(context)
        for name, cookie in (cookies or {}).items():
            if cookie.value:  # else it was deleted
                context.add_cookies([{"name": name, "value": cookie.value, "url": self.site}])
        if allowed:
            context.route(f"https://{allowed}/**", lambda route: route.fulfill(body="the shop"))
        page = context.new_page()
        page.on("request", lambda request: self._note(request.url, allowed))
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(self.site + path)
        return page

    def close(self) -> None:
        """Close the profiles, and say what none of them may have done."""
        for context in self.contexts:
            context.close()
        assert self.foreign == [], self.foreign
        assert self.errors == [], self.errors

    def _note(self, url: str, allowed: str) -> None:
        parts = urlsplit(url)
        own = url.startswith(self.site) or parts.scheme in ("data", "blob")
        if not own and parts.hostname != allowed:
            self.foreign.append(url)

    def _hear(self, kind: str, text: str) -> None:
        """A refusal by the policy is told in the console; an answer of 4xx is, too, and is fine."""
        if kind == "error" and "status of 4" not in text:
            self.errors.append(text)


class Screens:
    """Screens of the preview, each shown in a page that the tests of a file share.

    To make a profile takes longer than to show a screen.
    """

    def __init__(self, browser: Browser, site: str) -> None:
        self.watched = Watched(browser, site)
        self.pages: dict[tuple[str, str], Page] = {}

    def show(
        self, name: str, *, width: int = 360, height: int = 640, locale: str = "en", first: str = ""
    ) -> Page:
        """Show a screen. The script `first` runs before its own."""
        page = self.pages.get((locale, first))
        if page is None:
            page = self.watched.open("/preview/missing", locale=locale)
            page.add_init_script(first)
            self.pages[locale, first] = page
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{self.watched.site}/preview/{name}")
        return page

    def leave(self) -> None:
        """Show nothing, and so ask nothing, until the next test."""
        for page in self.pages.values():
            page.goto("about:blank")


def _wait_milliseconds() -> float:
    """Return how long to wait, by how many processes want each core of this machine."""
    load = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    return min(WAIT_MILLISECONDS * load, LONGEST_WAIT_MILLISECONDS)


def wait_until(page: Page, is_so: Callable[[], object]) -> None:
    """Let the page go on until something has been noted of it."""
    deadline = time.monotonic() + _wait_milliseconds() / 1_000
    while not is_so():
        assert time.monotonic() < deadline
        page.wait_for_timeout(20)


def violations(page: Page, rules: Sequence[str] = RULES) -> list[str]:
    """Return what axe-core finds wrong with a page: each rule, and where.

    What the page opens later has it from the start: half a megabyte is not sent again each time.
    """
    if page.evaluate("typeof axe === 'undefined'"):
        page.add_init_script(path=AXE)
        page.evaluate(AXE.read_text() + "; undefined")
    found: list[str] = page.evaluate(RUN_AXE, rules)
    return found


def spoken(page: Page) -> list[str]:
    """Return what a screen reader meets in the main part, in order: role, name and states.

    Within what is announced by itself, the text is told as well.
    """
    devtools = page.context.new_cdp_session(page)
    devtools.send("Accessibility.enable")
    nodes = devtools.send("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in nodes}
    main = next(node for node in nodes if _value(node, "role") == "main")
    return list(_told(main, by_id, is_live=False))


def _told(node: dict[str, Any], by_id: dict[str, Any], *, is_live: bool) -> Iterator[str]:
    role, name = _value(node, "role"), _value(node, "name")
    held = {each["name"]: each["value"].get("value") for each in node.get("properties", ())}
    is_told = role in TOLD or (is_live and role == "StaticText")
    if is_told and not node["ignored"]:
        found = [f"{key}={held[key]}" for key in STATES if held.get(key) not in (None, STATES[key])]
        yield " ".join([role, *filter(None, [name]), *(f"[{state}]" for state in found)])
    for child in () if role in LEAVES else node.get("childIds", ()):
        if child in by_id:
            yield from _told(by_id[child], by_id, is_live=is_live or role in ("alert", "status"))


def _value(node: dict[str, Any], key: str) -> str:
    return str(node.get(key, {}).get("value", ""))


def add_authenticator(
    page: Page, *, verifies: bool = True, held: VirtualAuthenticator | None = None
) -> tuple[CDPSession, str]:
    """Give the page a passkey device whose user always agrees; it has the passkey of `held`."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": verifies,
        "automaticPresenceSimulation": True,
    }
    added = devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    identifier = added["authenticatorId"]
    if held:
        given = {"authenticatorId": identifier, "credential": held.for_devtools()}
        devtools.send("WebAuthn.addCredential", given)
    return devtools, identifier
