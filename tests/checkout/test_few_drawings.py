"""What takes a processor for long leaves threads to all others, however many ask at once.

Eight receipts, posters or OpenAPI documents at once held every thread of a process.
"""

import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from django.core.cache import cache
from django.test import Client

from checkout import posters
from checkout.posters import Poster, drawn_poster
from checkout.shapes import Sheet
from core import concurrency
from core.clock import utc_now
from core.concurrency import ConcurrencyLimitReached
from customers.services import test_customer
from payments.models import Payment
from payments.paying import pay
from payments.verification import Verification
from tests.checkout.shopper import Shopper
from tests.races import at_once

WAIT_SECONDS = 60  # where others have the machine
SOON = "Load this page again in a few seconds."


@pytest.mark.real_clock("threads wait for each other")
def test_of_eight_posters_at_once_one_is_drawn_and_one_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_work, most, refused = [0], [0], threading.Semaphore(0)

    def slowly(sheet: Sheet) -> bytes:
        at_work[0] += 1
        most[0] = max(most[0], at_work[0])
        for _ in range(6):  # until the six others have been told, however quick the machine is
            assert refused.acquire(timeout=WAIT_SECONDS)
        refused.release(6)
        at_work[0] -= 1
        return sheet.title.encode()

    def draw(name: str) -> bytes:
        poster = Poster(payee=name, address="https://pay.example.com/1", service="Pay")
        try:
            return drawn_poster(poster, size="a4", form="slow", language="en")
        except ConcurrencyLimitReached:
            refused.release()
            raise

    monkeypatch.setitem(posters.PAPERS, "slow", slowly)
    answers = at_once([partial(draw, f"Shop {number}") for number in range(8)])

    assert most[0] == 1
    assert len([each for each in answers if isinstance(each, bytes)]) == 2


@pytest.fixture
def two_drawing() -> Iterator[None]:
    """Let two others draw, one after the other."""
    with concurrency._drawings.hold(), concurrency._drawings.hold():
        yield


@pytest.fixture
def paper(payment_of: Callable[..., Payment]) -> dict[str, str]:
    """Where a receipt and the posters of a counter are, which no one has had drawn."""
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None, description="Melons")
    sale = payment_of(321, description="Two melons")
    pay(
        payment_id=sale.id,
        customer=test_customer(None, utc_now(), merchant_id=sale.merchant_id),
        verified=Verification.PIN,
        actor="test",
        now=utc_now(),
    )
    return {
        "receipt": f"/receipts/{sale.id}.pdf",
        "poster": f"{counter.hosted_url}/poster-a4.pdf",
        "picture": f"{counter.hosted_url}/poster-card.svg",
    }


@pytest.mark.parametrize("kind", ["receipt", "poster", "picture"])
def test_who_finds_no_place_is_told_when_to_come_back(
    paper: dict[str, str], kind: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("two_drawing")
    shopper = Shopper()

    refused = shopper.visit(paper[kind])

    assert (refused.status_code, refused["Retry-After"]) == (503, "1")
    assert SOON in shopper.text


@pytest.mark.parametrize("kind", ["receipt", "poster", "picture"])
def test_what_has_been_drawn_needs_no_place(
    paper: dict[str, str], kind: str, request: pytest.FixtureRequest
) -> None:
    drawn = Shopper().visit(paper[kind])
    request.getfixturevalue("two_drawing")

    again = Shopper().visit(paper[kind])

    assert (again.status_code, again.content) == (200, drawn.content)


@pytest.mark.usefixtures("two_drawing")
def test_pages_need_none(paper: dict[str, str]) -> None:
    receipt = paper["receipt"].removesuffix(".pdf")

    assert Shopper().visit(receipt).status_code == 200


@pytest.mark.django_db
@pytest.mark.usefixtures("two_drawing")
def test_the_openapi_document_is_made_in_a_place() -> None:
    cache.clear()

    refused = Client().get("/v1/openapi.json")

    assert (refused.status_code, refused["Retry-After"]) == (503, "1")
    assert refused.json()["code"] == "SERVICE_UNAVAILABLE"
