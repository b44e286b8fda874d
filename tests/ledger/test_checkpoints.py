"""The witnesses outside that keep the signed heads of the log."""

import base64
from pathlib import Path

import pytest
from django.db import connection
from pytest_django import Settings
from structlog.testing import capture_logs

from core import merkle
from core.signed_notes import LogHead, NoteSigner
from ledger import witnesses
from ledger.checkpoints import is_ours
from ledger.models import WitnessState
from ledger.tasks import sign_checkpoint
from ledger.witnesses import check_witnesses, inform_witnesses
from outbound.results import HttpResult
from tests.consistency import is_consistent
from tests.ledger.command import verify
from tests.ledger.funding import NOW
from tests.ledger.growing import grow
from tests.ledger.thief import all_rights

pytestmark = pytest.mark.django_db(transaction=True)
HTTP = "https://witness.example.com"


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.CHECKPOINT_WITNESSES = [f"file://{tmp_path}"]
    return tmp_path


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
        if not is_consistent(old=self.size, size=head.size, path=path, **roots):
            return HttpResult(ms=1, status=422)
        self.size, self.root = head.size, head.root
        return HttpResult(ms=1, status=200)


@pytest.fixture
def http(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> HttpWitness:
    settings.CHECKPOINT_WITNESSES = [HTTP]
    witness = HttpWitness()
    monkeypatch.setattr(witnesses, "post", witness.post)
    return witness


def test_a_folder_gets_each_checkpoint(folder: Path) -> None:
    grow(2)

    assert sorted(file.name for file in folder.iterdir()) == [
        "000000000000000002.checkpoint",
        "000000000000000003.checkpoint",
    ]
    assert verify()[0] == 0


def test_a_folder_is_written_and_read_alike_in_every_locale(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note has a dash that is in no single byte."""
    locale = "latin-1"
    monkeypatch.setattr("io.text_encoding", lambda encoding, stacklevel=2: encoding or locale)

    grow(2)

    assert list(check_witnesses()) == []
    assert len(list(folder.glob("*.checkpoint"))) == 2


def test_what_is_no_text_is_another_note(folder: Path) -> None:
    grow()
    [place] = folder.iterdir()
    place.write_bytes(b"\xff")
    WitnessState.objects.update(size=0)

    inform_witnesses(now=NOW)

    assert WitnessState.objects.get().problem == f"it has another {place.name}."


def test_other_files_in_a_folder_are_no_notes(folder: Path) -> None:
    grow(2)
    (folder / "README").write_text("The ledger's heads.")

    assert list(check_witnesses()) == []


def test_a_folder_that_was_away_is_caught_up(folder: Path, settings: Settings) -> None:
    there, gone = folder, folder / "not-mounted"
    settings.CHECKPOINT_WITNESSES = [f"file://{gone}"]
    grow(2)
    state = WitnessState.objects.get()
    assert (state.size, state.problem) == (0, "FileNotFoundError: No such file or directory")

    gone.mkdir()
    grow()

    assert len(list(gone.iterdir())) == 3
    assert WitnessState.objects.get().problem == ""
    assert list(there.iterdir()) == [gone]


def test_what_a_witness_has_taken_is_noted_before_the_next(
    folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CHECKPOINT_WITNESSES = []
    grow(3)
    settings.CHECKPOINT_WITNESSES = [f"file://{folder}"]
    (folder / "000000000000000003.draft").mkdir()  # the second one cannot be written

    inform_witnesses(now=NOW)

    assert WitnessState.objects.get().size == 2
    (folder / "000000000000000003.draft").rmdir()
    monkeypatch.setattr(witnesses, "BACKLOG", 1)  # no more in one turn
    inform_witnesses(now=NOW)
    assert WitnessState.objects.get().size == 3
    inform_witnesses(now=NOW)
    assert WitnessState.objects.get().size == 4


def test_a_folder_that_has_more_than_is_known_of_it_is_not_written_again(folder: Path) -> None:
    """Of a restored backup we do not know what it took since."""
    grow(2)
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    WitnessState.objects.update(size=0)

    inform_witnesses(now=NOW)

    assert {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} == before
    state = WitnessState.objects.get()
    assert (state.size, state.problem) == (3, "")


def test_a_note_that_cannot_be_read_hides_none_after_it(folder: Path) -> None:
    grow(2)
    (folder / "000000000000000000.checkpoint").mkdir()
    (folder / "000000000000000002.checkpoint").write_text("not ours")
    (folder / "000000000000000003.checkpoint").write_text("x\n\n— testserver/ledger \ufffd\n")

    assert list(check_witnesses()) == [
        f"Witness file://{folder} holds {size:018}.checkpoint, which no key of ours has signed."
        for size in (0, 2, 3)
    ]
    assert ["3.checkpoint" in found for found in check_witnesses(since=3)] == [True]


def test_a_folder_that_is_gone_is_told(folder: Path, settings: Settings) -> None:
    grow()
    settings.CHECKPOINT_WITNESSES = [f"file://{folder}/not-mounted"]

    with capture_logs() as logs:
        assert list(check_witnesses()) == []

    assert [(log["event"], log["problem"]) for log in logs] == [
        ("witness_away", "FileNotFoundError: No such file or directory")
    ]


def test_of_many_notes_some_are_read_and_the_newest(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witnesses, "SAMPLES", 3)
    grow(9)
    (folder / "000000000000000010.checkpoint").write_text("not ours")

    found = list(check_witnesses())

    assert found == [
        f"Witness file://{folder} holds 000000000000000010.checkpoint, which no key of ours has"
        " signed."
    ]


def rewrite_everything() -> None:
    """A thief with all rights, who forgets what we have signed as well."""
    with all_rights(), connection.cursor() as cursor:
        for table in ("checkpoint", "logsubtree", "logleaf", "witnessstate"):
            cursor.execute(f"DELETE FROM ledger_{table}")
        cursor.execute("DELETE FROM ledger_seal WHERE sequence > 0")
        cursor.execute("DELETE FROM ledger_transfer")
        cursor.execute("UPDATE ledger_account SET balance = 0")


def test_a_folder_tells_of_a_log_that_was_rewritten(folder: Path) -> None:
    grow(3)
    rewrite_everything()
    grow(4)

    code, printed = verify()

    assert code == 1
    assert printed == (
        f"Checkpoint of witness file://{folder}: 2 is not of this log:"
        " what it covers was changed since."
    )


def test_a_folder_tells_of_a_log_that_was_cut_off(folder: Path) -> None:
    grow(3)
    rewrite_everything()

    assert verify() == (
        1,
        f"Checkpoint of witness file://{folder}: 2 is not of this log: it has fewer leaves by now.",
    )


def test_a_planted_checkpoint_is_named(folder: Path) -> None:
    grow()
    other = NoteSigner.generate("testserver/ledger").sign(str(LogHead("testserver/ledger", 9, b"")))
    (folder / "000000000000000009.checkpoint").write_text(other)

    assert "000000000000000009.checkpoint, which no key of ours has signed" in verify()[1]


def test_an_http_witness_is_handed_proofs(http: HttpWitness) -> None:
    grow(5)

    assert http.size == 6
    assert WitnessState.objects.get().size == 6
    assert verify()[0] == 0
    http.root = merkle.EMPTY_ROOT
    sentence = f"Witness {HTTP} has another log: it does not extend what the witness has."
    assert verify() == (1, sentence)


def test_before_the_first_checkpoint_a_witness_is_not_asked(http: HttpWitness) -> None:
    http.is_up = False

    sign_checkpoint()

    assert list(check_witnesses()) == []
    assert not WitnessState.objects.exists()


def test_a_witness_that_has_the_newest_checkpoint_is_left_in_peace(http: HttpWitness) -> None:
    grow()
    http.is_up = False

    inform_witnesses(now=NOW)

    assert WitnessState.objects.get().problem == ""


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
