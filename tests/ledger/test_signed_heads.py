"""Which heads of the log are signed, and how."""

import base64
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings
from structlog.testing import capture_logs

from core.signatures import sign_anew
from core.signed_notes import LogHead, NoteSigner
from ledger import log_checks
from ledger.checkpoints import is_ours, sign_head, verifiers
from ledger.models import Checkpoint, LogLeaf, Purpose, Transfer, WaitingEntry
from ledger.proof_marks import ProvenUpTo
from ledger.sealing import log_rows, seal_transfers
from ledger.signed_row_checks import _check_logged
from merchants.models import Merchant
from tests.factories import MerchantFactory
from tests.ledger.command import verify
from tests.ledger.funding import NOW, fund, opened
from tests.ledger.growing import grow
from tests.ledger.thief import all_rights

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_key_that_was_changed_by_hand_is_named_and_none_put_beside_it(
    settings: Settings, capsys
) -> None:
    """The start refuses it and sends its reader here, where a traceback said nothing."""
    changed = str(NoteSigner.generate("pay.example.com/ledger")).replace("example.com", "island.bs")
    settings.CHECKPOINT_KEY = changed

    with pytest.raises(CommandError, match=r"cannot be read \(has the hash of another key\)"):
        call_command("checkpoint_key")
    assert capsys.readouterr().out == ""


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


def test_heads_are_proven_so_many_at_a_time_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_checks, "HEADS_AT_ONCE", 1)
    grow(3)
    with all_rights():
        for head in Checkpoint.objects.filter(size__gte=3):
            Checkpoint.objects.filter(pk=head.pk).update(
                note=STRANGER.sign(str(LogHead.parse(head.note)))
            )

    wrong = [f"Checkpoint {size} is not as it was signed." for size in (3, 4)]
    assert [*log_checks.check_heads()] == [
        *(ProvenUpTo("3"), wrong[0], ProvenUpTo("4"), wrong[1], ProvenUpTo("5")),
    ]
    assert [*log_checks.check_heads("4")] == [wrong[1], ProvenUpTo("5")]
    assert [*log_checks.check_heads("5")] == []


def test_a_row_that_had_lost_its_signature_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_checks, "LEAVES_AT_ONCE", 1)
    grow()
    merchants = [MerchantFactory.create() for _ in range(3)]
    with all_rights():  # one from before rows were signed
        Merchant.objects.filter(pk=merchants[0].pk).update(signature=None)
        WaitingEntry.objects.filter(subject=merchants[0].pk).delete()
    log_rows(now=NOW)
    with all_rights():
        Merchant.objects.filter(pk=merchants[1].pk).update(signature=None)
    for merchant in merchants:
        merchant.refresh_from_db()
        merchant.fee_basis_points = 250
        merchant.save(update_fields=["fee_basis_points"])
    log_rows(now=NOW)
    with all_rights():  # a leaf of another kind
        LogLeaf.objects.filter(index=0).update(subject=merchants[0].pk)

    named = f"Merchant {merchants[1].pk} had lost its signature by leaf 5."
    marks = [ProvenUpTo(str(size)) for size in range(1, 8)]
    assert [*log_checks.check_adoptions()] == [*marks[:5], named, *marks[5:]]
    assert [*log_checks.check_adoptions("6")] == marks[6:]


def test_what_is_signed_already_is_not_signed_anew(db: None) -> None:
    merchant = MerchantFactory.create()
    signed = merchant.signature
    assert (sign_anew(merchant), merchant.signature) == (False, signed)

    merchant.fee_basis_points = 250

    assert sign_anew(merchant)
    assert merchant.signature != signed


@pytest.mark.parametrize(
    ("fields", "signs"),
    [(["fee_basis_points"], True), (["name", "fee_basis_points"], True), (["name"], False)],
)
def test_what_is_not_saved_is_not_signed(db: None, fields: list[str], signs: bool) -> None:
    merchant = MerchantFactory.create()
    signed = merchant.signature
    merchant.fee_basis_points = 250

    merchant.save(update_fields=fields)

    stored = Merchant.objects.get(pk=merchant.pk)
    assert (stored.fee_basis_points == 250) is signs
    assert (stored.signature != signed) is signs


def test_only_where_the_log_has_begun_is_a_leaf_missed() -> None:
    grow()
    [transfer] = Transfer.objects.all()
    missed = [f"Transfer {transfer.pk} is not in the log."]
    assert [*_check_logged([transfer.pk])] == missed

    with all_rights():
        LogLeaf.objects.filter(index=1).update(subject="x")
        LogLeaf.objects.filter(index=0).delete()

    assert [*_check_logged([transfer.pk])] == []
    assert [*log_checks.check_opening()] == []  # that it lacks leaf 0 is named elsewhere


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "x"}, "Leaf 0 does not begin the log."),
        ({"subject": "x"}, "Leaf 0 does not begin the log."),
        ({"subject": "99"}, "Leaf 0 does not say how the chain stood when the log began."),
    ],
)
def test_another_leaf_does_not_begin_the_log(change: dict[str, str], said: str) -> None:
    grow()
    with all_rights():
        LogLeaf.objects.filter(index=0).update(**change)

    assert [*log_checks.check_opening()] == [said]
