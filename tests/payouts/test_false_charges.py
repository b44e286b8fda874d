"""A charge is within a debit: the database holds it there, and what was stored before is mended"""

from collections.abc import Iterator

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from core.clock import utc_now
from core.ids import new_id
from core.signatures import is_signed, sign, signature_field
from payouts.models import BankEntry, BankEntryKind, BankFile
from tests.nights import RELEASED

BEFORE = [("payouts", "0015_refused_but_booked")]
AFTER = [("payouts", "0016_charge_within_debit")]


@pytest.fixture
def latest() -> Iterator[None]:
    """Bring the tables back to today's, whatever happens."""
    yield
    migrate_to_latest()


def migrate_to_latest() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def read_file() -> BankFile:
    return BankFile.objects.create(
        source="statement",
        message_id="M-1",
        livemode=True,
        content_hash="0" * 64,
        created_at=utc_now(),
        created_by="staff:ann",
    )


def stored(file: BankFile, charge_amount: int, key: str) -> BankEntry:
    now = utc_now()
    return BankEntry.objects.create(
        id=new_id("ben", now),
        file=file,
        livemode=True,
        source="statement",
        key=key,
        kind="debit",
        amount=1_200,
        charge_amount=charge_amount,
        currency="BSD",
        created_at=now,
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "wrong",
    [
        {"charge_amount": -1},
        {"charge_amount": 1201},
        {"amount": None},
        *({"kind": kind} for kind in BankEntryKind if kind != BankEntryKind.DEBIT),
    ],
)
def test_there_is_none_beyond_a_debit(wrong: dict[str, object]) -> None:
    booked = BankEntry.objects.filter(pk=stored(read_file(), 50, "a").pk)

    with pytest.raises(IntegrityError), transaction.atomic():
        booked.update(**wrong)

    booked.update(charge_amount=1_200)
    booked.update(kind=BankEntryKind.CREDIT)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "amount", "charge_amount", "is_charge"),
    [
        ("debit", 1_200, 1_200, True),
        ("credit", 1_200, 1_200, True),
        ("debit", 1, 1, True),
        ("debit", 1_200, 1_199, False),
        ("debit", 1_200, 1, False),
        ("debit", 1_200, 0, False),
        ("debit", 0, 0, False),
        ("return", 1_200, 0, False),
        ("settled", None, 0, False),
    ],
)
def test_only_what_is_nothing_else_is_left_out_as_a_charge(
    kind: str, amount: int | None, charge_amount: int, is_charge: bool
) -> None:
    entry = stored(read_file(), 0, "a")
    BankEntry.objects.update(kind=kind, amount=amount, charge_amount=charge_amount)

    assert BankEntry.objects.besides_charges().exists() is not is_charge
    entry.refresh_from_db()
    assert entry.is_charge is is_charge


@pytest.mark.slow
@pytest.mark.night(RELEASED)
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("latest")
def test_it_goes_and_what_is_right_stays() -> None:
    file, field = read_file(), signature_field(BankEntry)
    assert field is not None
    false, _, altered = (stored(file, 50, key) for key in "abc")
    before = MigrationExecutor(connection)
    before.migrate(BEFORE)
    entries = before.loader.project_state(BEFORE).apps.get_model("payouts", "BankEntry").objects
    for row in (false, altered):
        row.charge_amount = -50
        signature = sign(field.values_of(row))
        entries.filter(pk=row.pk).update(charge_amount=-50, signature=signature)
    entries.filter(pk=altered.pk).update(amount=1_201)

    MigrationExecutor(connection).migrate(AFTER)

    migrate_to_latest()
    rows = BankEntry.objects.order_by("key")
    assert list(rows.values_list("charge_amount", flat=True)) == [0, 50, 0]
    assert [is_signed(row.signature, field.values_of(row)) for row in rows] == [
        *(True, True, False)
    ]
