"""What the tests of webhooks start from: a receiver, and endpoints at it."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from pytest_django import Settings

from core.clock import utc_now
from merchants.callers import Caller
from merchants.models import Merchant
from tests.webhooks.dispatching import emit_event, send_due
from tests.webhooks.receiver import Received, Receiver
from webhooks.endpoints import create_webhook
from webhooks.models import Webhook

HERE = Path(__file__).parent
REAL_CLOCK = pytest.mark.real_clock("the database's clock says what is due; others check our times")
MakeEndpoint = Callable[..., Webhook]
_numbers = count()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(REAL_CLOCK)


@pytest.fixture(autouse=True)
def _loopback_allowed(settings: Settings) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True


@pytest.fixture(scope="session")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    """A merchant's server in a process of its own."""
    server = Receiver(Path(tmp_path_factory.mktemp("receiver")) / "log")
    yield server
    server.close()


@pytest.fixture
def endpoint(merchant: Merchant, receiver: Receiver) -> MakeEndpoint:
    """Make an endpoint of the merchant that answers so: `endpoint("/say/500,200")`."""

    def make(
        answer: str = "/say/200", *, url: str = "", events: tuple[str, ...] = ("*",)
    ) -> Webhook:
        path, _, query = answer.partition("?")
        address = receiver.url(f"{path}/{next(_numbers)}" + (f"?{query}" if query else ""))
        issued = create_webhook(
            caller=Caller(merchant, livemode=False, actor="tests"),
            url=url or address,
            events=list(events),
            description="",
            now=utc_now(),
        )
        issued.webhook.plain_secret = issued.secret  # type: ignore[attr-defined]  # for the tests
        return issued.webhook

    return make


@pytest.fixture
def sent(merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver) -> tuple[str, Received]:
    """The secret of an endpoint, and the request that it was sent."""
    webhook = endpoint()
    emit_event(merchant)
    assert send_due() == 1
    [request] = receiver.received(webhook.url)
    return webhook.plain_secret, request  # type: ignore[attr-defined]  # set by the fixture
