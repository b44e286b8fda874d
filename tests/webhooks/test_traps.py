"""Endpoints that do not answer as they should. None of them holds a thread for long."""

import threading
import time

import pytest

from merchants.models import Merchant
from outbound.http_client import post
from outbound.policy import Policy
from outbound.results import HttpResult
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, only_delivery, send_due
from tests.webhooks.receiver import Receiver
from webhooks.models import Attempt
from webhooks.statuses import DeliveryStatus

pytestmark = pytest.mark.slow

SECONDS = 0.6
TO_READ_A_STATUS = 2  # where others have the machine
# The traps last a minute and more: a quicker return has not waited for them.
SOON = 10
POLICY = Policy(livemode=False, loopback=True)
TIMED_OUT = f"No complete answer within {SECONDS:g} seconds."
BROKE_OFF = "The connection broke off before the answer was complete."


def call(receiver: Receiver, trap: str, seconds: float = SECONDS) -> HttpResult:
    return post(
        receiver.url(f"/trap/{trap}/1"), body=b"{}", headers={}, policy=POLICY, seconds=seconds
    )


@pytest.mark.parametrize("trap", ["hang", "headdrip", "bodydrip"])
def test_however_slowly_it_drips_the_deadline_holds(receiver: Receiver, trap: str) -> None:
    started = time.monotonic()

    answer = call(receiver, trap)

    assert not answer.is_success
    assert answer.error == TIMED_OUT
    assert SECONDS <= time.monotonic() - started < SOON
    assert SECONDS * 1_000 <= answer.ms < SOON * 1_000


def test_a_status_that_was_read_does_not_outweigh_the_deadline(receiver: Receiver) -> None:
    answer = call(receiver, "bodydrip", seconds=TO_READ_A_STATUS)

    assert (answer.status, answer.is_success) == (200, False)


def test_an_endless_body_is_read_to_the_limit_only(receiver: Receiver) -> None:
    started = time.monotonic()

    answer = call(receiver, "endless", seconds=2 * SOON)

    assert time.monotonic() - started < SOON
    assert answer.excerpt == "a" * 1_000
    assert answer.status == 200


def test_an_endless_head_is_a_failure(receiver: Receiver) -> None:
    started = time.monotonic()

    answer = call(receiver, "continues", seconds=2 * SOON)

    assert not answer.is_success
    assert answer.error == BROKE_OFF
    assert time.monotonic() - started < SOON


def test_an_answer_that_is_malformed_writes_nothing_into_our_log(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    answer = call(receiver, "malformed", seconds=SOON)

    assert (answer.status, answer.is_success) == (200, True)
    assert caplog.records == []


def test_a_connection_that_breaks_is_a_failure(receiver: Receiver) -> None:
    answer = call(receiver, "reset", seconds=SOON)

    assert not answer.is_success
    assert answer.error == BROKE_OFF


def test_no_server_there(receiver: Receiver) -> None:
    answer = post("http://localhost:1024/", body=b"{}", headers={}, policy=POLICY, seconds=SOON)

    assert answer.error == "The connection was refused."


@pytest.mark.parametrize("answer", [OSError("no such host"), []])
def test_a_name_without_an_address(answer: object) -> None:
    def resolve(host: str, port: int) -> list[str]:
        if isinstance(answer, OSError):
            raise answer
        return []

    got = post(
        "https://shop.example.com/",
        body=b"{}",
        headers={},
        policy=POLICY,
        seconds=SOON,
        resolve=resolve,
    )

    assert got.error == "The host name could not be resolved."


def test_a_resolver_that_hangs_is_given_up() -> None:
    started, over = time.monotonic(), threading.Event()

    def resolve(host: str, port: int) -> list[str]:
        over.wait(2 * SOON)
        return ["127.0.0.1"]

    answer = post(
        "https://shop.example.com/",
        body=b"{}",
        headers={},
        policy=POLICY,
        seconds=SECONDS,
        resolve=resolve,
    )

    assert not answer.is_success
    assert time.monotonic() - started < SOON
    over.set()


def test_what_it_says_can_be_shown_and_stored(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint("/say/500?text=a%00b%1b%5b31m%ff%c3%a9%0a")
    emit_event(merchant)

    send_due()

    [attempt] = only_delivery(webhook).attempts.all()
    assert attempt.excerpt == "a�b�[31m�é\n"


def test_a_trap_is_a_failed_attempt_like_any_other(
    merchant: Merchant, endpoint: MakeEndpoint, settings
) -> None:
    settings.WEBHOOK_TIMEOUT_SECONDS = TO_READ_A_STATUS
    webhook = endpoint("/trap/bodydrip")
    emit_event(merchant)

    send_due()

    [attempt] = Attempt.objects.all()
    assert (attempt.status, attempt.error) == (200, "No complete answer within 2 seconds.")
    assert only_delivery(webhook).status == DeliveryStatus.PENDING


def test_slow_but_in_time_is_a_success(receiver: Receiver) -> None:
    answer = post(
        receiver.url("/say/200/slow?sleep=0.4"),
        body=b"{}",
        headers={},
        policy=POLICY,
        seconds=SOON,
    )

    assert answer.is_success
    assert answer.ms >= 400
