"""What an HTTP witness may answer to a checkpoint, and what each answer means."""

from typing import Any

import pytest
from pytest_django import Settings

from ledger import witnesses
from ledger.checkpoints import sign_head
from ledger.models import Checkpoint, Purpose, WitnessState
from ledger.sealing import seal_transfers
from ledger.witnesses import inform_witnesses
from outbound.policy import Policy
from outbound.results import HttpResult
from tests.ledger.funding import NOW, fund, opened

pytestmark = pytest.mark.django_db
ADDRESS = "https://witness.example.com/a"
NOT_EXTENDED = "it does not extend what the witness has."


@pytest.fixture
def newest(settings: Settings) -> Checkpoint:
    """The head of a log of two leaves."""
    settings.CHECKPOINT_WITNESSES = [f"{ADDRESS}/"]
    settings.WEBHOOK_ALLOW_PRIVATE = True
    fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)
    signed = sign_head(now=NOW)
    assert signed
    return signed


class Scripted:
    """A witness that gives these answers in turn, and keeps what it was asked."""

    def __init__(self, *answers: HttpResult) -> None:
        self.answers, self.asked = list(answers), list[tuple[str, dict[str, Any]]]()

    def post(self, url: str, **request: Any) -> HttpResult:
        self.asked.append((url, request))
        return self.answers.pop(0)


def has(status: int, excerpt: str = "", error: str = "") -> HttpResult:
    return HttpResult(ms=1, status=status, excerpt=excerpt, error=error)


@pytest.mark.parametrize("is_development", [False, True])
def test_it_is_asked_so(
    newest: Checkpoint,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    is_development: bool,
) -> None:
    settings.DEVELOPMENT_MODE = is_development
    witness = Scripted(has(200))
    monkeypatch.setattr(witnesses, "post", witness.post)

    inform_witnesses(now=NOW)

    request = {
        "body": f"old 0\n\n{newest.note}".encode(),
        "headers": {"Content-Type": "text/plain"},
        "policy": Policy(livemode=not is_development, loopback=is_development),
        "seconds": 10,
    }
    assert witness.asked == [(f"{ADDRESS}/add-checkpoint", request)]
    state = WitnessState.objects.get()
    assert (state.size, state.confirmed_at, state.problem) == (2, NOW, "")


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ([has(409, "2\n"), has(200)], ""),
        ([has(409, "3\n")], "it has 3 leaves, ours of 2 has fewer leaves by now."),
        ([has(409, "9" * 30)], f"it has {'9' * 18} leaves, ours of 2 has fewer leaves by now."),
        ([has(409, "none")], "it has none leaves, ours of 2 has fewer leaves by now."),
        ([has(409, "0"), has(409, "0")], NOT_EXTENDED),
        ([has(422)], NOT_EXTENDED),
        ([has(410)], "it answered 410."),
        ([has(423)], "it answered 423."),
        ([has(500, error="Answered 500.")], "Answered 500."),
        ([has(503, error="x" * 300)], "x" * 255),
    ],
)
def test_an_answer_is_taken_for_what_it_says(
    newest: Checkpoint, monkeypatch: pytest.MonkeyPatch, answers: list[HttpResult], problem: str
) -> None:
    witness = Scripted(*answers)
    monkeypatch.setattr(witnesses, "post", witness.post)

    inform_witnesses(now=NOW)

    state = WitnessState.objects.get()
    assert (witness.answers, state.problem, state.size) == ([], problem, 0 if problem else 2)
