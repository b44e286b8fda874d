"""A witness that believes proofs only, and the proofs that it is handed."""

import base64

import pytest
from pytest_django import Settings

from core import merkle
from core.signed_notes import LogHead
from ledger import witnesses
from ledger.checkpoints import is_ours
from ledger.models import WitnessState
from outbound.http_client import HttpResult
from tests.ledger.command import verify
from tests.ledger.heads import grow, rewrite_everything

pytestmark = pytest.mark.django_db(transaction=True)
HTTP = "https://witness.example.com"


class HttpWitness:
    """A witness of C2SP's tlog-witness, which believes proofs only."""

    def __init__(self) -> None:
        self.size, self.root, self.is_up = 0, merkle.EMPTY_ROOT, True

    def post(self, url: str, *, body: bytes, **options: object) -> HttpResult:
        assert url == f"{HTTP}/add-checkpoint"
        if not self.is_up:
            return HttpResult(ms=1, error="The connection was refused.")
        request, _, note = body.decode().partition("\n\n")
        old, *proof = request.splitlines()
        head = LogHead.parse(note)
        assert is_ours(note)
        if old != f"old {self.size}":
            return HttpResult(ms=1, status=409, excerpt=f"{self.size}\n")
        path = [base64.b64decode(step) for step in proof]
        roots = {"old_root": self.root, "new_root": head.root}
        if not merkle.is_consistent(old=self.size, size=head.size, path=path, **roots):
            return HttpResult(ms=1, status=422)
        self.size, self.root = head.size, head.root
        return HttpResult(ms=1, status=200)


@pytest.fixture
def http(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> HttpWitness:
    settings.CHECKPOINT_WITNESSES = [HTTP]
    witness = HttpWitness()
    monkeypatch.setattr(witnesses, "post", witness.post)
    return witness


def test_an_http_witness_is_handed_proofs(http: HttpWitness) -> None:
    grow(5)

    assert http.size == 6
    assert WitnessState.objects.get().size == 6
    assert verify()[0] == 0
    http.root = merkle.EMPTY_ROOT
    sentence = f"Witness {HTTP} has another log: it does not extend what the witness has."
    assert verify() == (1, sentence)


def test_an_http_witness_that_was_away_is_caught_up(http: HttpWitness) -> None:
    grow(2)
    http.is_up = False
    grow(2)
    assert WitnessState.objects.get().problem == "The connection was refused."
    assert verify()[0] == 0
    http.is_up = True

    grow()

    assert (http.size, WitnessState.objects.get().problem) == (6, "")


def test_an_http_witness_refuses_a_log_that_was_rewritten(http: HttpWitness) -> None:
    grow(3)
    rewrite_everything()
    grow(4)

    assert verify() == (
        1,
        f"Witness {HTTP} has another log: it does not extend what the witness has.",
    )
    assert WitnessState.objects.get().problem == "it does not extend what the witness has."


def test_an_http_witness_knows_more_than_what_is_left(http: HttpWitness) -> None:
    grow(3)
    rewrite_everything()
    grow()

    assert verify() == (
        1,
        f"Witness {HTTP} has another log: it has 4 leaves, ours of 2 has fewer leaves by now.",
    )
