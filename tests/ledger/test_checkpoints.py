"""Signed heads of the log, and the witnesses outside that keep them."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings
from structlog.testing import capture_logs

from core.signed_notes import LogHead, NoteSigner
from ledger import witnesses
from ledger.checkpoints import is_ours, sign_head, verifiers
from ledger.models import Checkpoint, LogLeaf, Purpose, WitnessState
from ledger.sealing import log_rows, seal_transfers
from ledger.witnesses import check_witnesses, inform_witnesses
from tests.ledger.command import verify
from tests.ledger.funding import NOW, fund, opened
from tests.ledger.heads import grow, rewrite_everything
from tests.ledger.thief import all_rights

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.CHECKPOINT_WITNESSES = [f"file://{tmp_path}"]
    return tmp_path


def test_it_signs_the_head_in_the_format_of_witnesses() -> None:
    signed = grow()

    lines = signed.note.split("\n")
    assert lines[:2] == ["testserver/ledger", "2"]
    assert base64.b64decode(lines[2]) == bytes(signed.root)
    assert lines[3] == ""
    assert lines[4].startswith("— testserver/ledger ")
    assert is_ours(signed.note)
    assert not is_ours(signed.note.replace("\n2\n", "\n3\n"))


def test_it_signs_nothing_where_there_is_no_news() -> None:
    assert sign_head(now=NOW) is None
    signed = grow()

    with capture_logs() as logs:
        assert sign_head(now=NOW) == signed
    assert Checkpoint.objects.count() == 1
    assert logs == []


def test_it_signs_a_log_that_has_only_begun() -> None:
    log_rows(now=NOW)

    signed = sign_head(now=NOW)

    assert signed is not None
    assert signed.note.split("\n")[1] == "1"


def test_a_new_key_leaves_the_old_heads_good(settings: Settings, capsys) -> None:
    grow()

    call_command("checkpoint_key")

    line = capsys.readouterr().out.split("\n")[0]
    settings.CHECKPOINT_KEY = line.removeprefix("CHECKPOINT_KEY=")
    assert len(verifiers()) == 2
    signed = grow()
    assert verifiers()[0].has_signed(signed.note)
    assert verify()[0] == 0


def test_a_folder_gets_each_checkpoint(folder: Path) -> None:
    grow(2)

    assert sorted(file.name for file in folder.iterdir()) == [
        "000000000000000002.checkpoint",
        "000000000000000003.checkpoint",
    ]
    assert verify()[0] == 0


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


STRANGER = NoteSigner.generate("testserver/ledger")


@pytest.mark.parametrize(
    "change",
    [
        lambda signed: LogLeaf.objects.update(kind="x", hash=b"x" * 32),
        lambda signed: LogLeaf.objects.filter(index=1).delete(),
        lambda signed: Checkpoint.objects.filter(pk=signed.pk).update(
            note=STRANGER.sign(str(LogHead.parse(signed.note)))
        ),
    ],
)
def test_a_log_that_does_not_extend_the_last_head_is_not_signed(
    change: Callable[[Checkpoint], object],
) -> None:
    signed = grow(3)
    with all_rights():
        change(signed)
    fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)

    with capture_logs() as logs:
        assert sign_head(now=NOW) == signed
    assert [(log["event"], log["size"], log["signed"]) for log in logs] == [
        ("checkpoint_refused", 5, 4)
    ]
    assert Checkpoint.objects.count() == 3
    assert LogLeaf.objects.latest("index").index == 4
