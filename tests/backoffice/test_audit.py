"""The audit trail: nothing is changed, nothing is left out, and it says so when something is."""

import hashlib
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from backoffice import audit_verification
from backoffice.audit import AuditAction, AuditRecord, append_entry, audited, entry_hash
from backoffice.audit_verification import TRIGGERS, verify_audit
from backoffice.errors import Forbidden
from backoffice.models import AuditEntry, AuditHead, AuditOutcome, Note, NoteSubject
from backoffice.roles import Right, Role
from backoffice.services.support import write_note
from core.append_only import active_triggers
from core.clock import utc_now
from payments.errors import PaymentExpired
from payments.models import Payment
from tests.backoffice.conftest import staff_as
from tests.ledger.funding import problems
from tests.races import at_once

pytestmark = pytest.mark.django_db

DEED = AuditAction(
    act="note", right=Right.NOTE, subject_type="payment", subject_id="pay_1", reason="é ✓"
)


def entries(count: int) -> None:
    for number in range(count):
        record = AuditRecord(
            before={"status": "created", "at": utc_now()}, after={"number": number}
        )
        append_entry(staff=staff_as(Role.SUPPORT), action=DEED, record=record, now=utc_now())


def test_it_keeps_what_changed(payment) -> None:
    with audited(staff=staff_as(Role.SUPPORT), action=DEED, now=utc_now()) as record:
        record.before = {"status": "created", "amount": 5, "same": 1}
        record.after = {"status": "canceled", "amount": 5, "same": 1}

    entry = AuditEntry.objects.get()
    assert (entry.before, entry.after) == ({"status": "created"}, {"status": "canceled"})
    assert (entry.sequence, entry.actor, entry.roles) == (1, "support", "Support")
    assert (entry.address, entry.request_id) == ("10.0.0.7", "req_1")


def test_a_failed_attempt_is_kept_and_its_work_is_not(payment) -> None:
    with pytest.raises(PaymentExpired):
        _change_and_fail(payment)

    payment.refresh_from_db()
    assert payment.description == ""
    entry = AuditEntry.objects.get()
    assert entry.outcome == AuditOutcome.REFUSED
    assert entry.error.startswith("PAYMENT_EXPIRED")


def _change_and_fail(payment: Payment) -> None:
    with audited(staff=staff_as(Role.SUPPORT), action=DEED, now=utc_now()):
        payment.description = "changed"
        payment.save()
        raise PaymentExpired


def test_without_the_right_nothing_is_done(payment) -> None:
    with pytest.raises(Forbidden), audited(staff=staff_as(Role.VIEWER), action=DEED, now=utc_now()):
        pytest.fail("the work was done")

    assert AuditEntry.objects.get().outcome == AuditOutcome.FORBIDDEN


def test_a_whole_trail_is_proven() -> None:
    entries(3)
    output = StringIO()

    call_command("verify_audit", stdout=output)

    last = AuditEntry.objects.get(sequence=3)
    assert output.getvalue() == f"The audit trail is whole: 3 entries.\nLast: 3:{last.hash}\n"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE backoffice_auditentry SET actor = 'someone'",
        "DELETE FROM backoffice_auditentry",
        "DELETE FROM backoffice_audithead",
        "UPDATE backoffice_note SET text = 'other'",
        "DELETE FROM backoffice_note",
    ],
)
def test_the_database_refuses_to_change_it(statement: str) -> None:
    write_note(
        staff=staff_as(Role.SUPPORT),
        subject_type=NoteSubject.PAYMENT,
        subject_id="pay_1",
        text="One",
        now=utc_now(),
    )

    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)

    assert (AuditEntry.objects.count(), Note.objects.count()) == (1, 1)


@pytest.mark.sqlite
@pytest.mark.parametrize("table", ["backoffice_auditentry", "backoffice_note"])
def test_sqlite_refuses_to_replace_a_row(table: str) -> None:
    write_note(
        staff=staff_as(Role.SUPPORT),
        subject_type=NoteSubject.PAYMENT,
        subject_id="pay_1",
        text="One",
        now=utc_now(),
    )

    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        (
            "UPDATE backoffice_auditentry SET actor = 'x' WHERE sequence = 2",
            "Audit entry 2 was changed.",
        ),
        (
            "UPDATE backoffice_auditentry SET after = '{\"number\": 9}' WHERE sequence = 2",
            "Audit entry 2 was changed.",
        ),
        ("DELETE FROM backoffice_auditentry WHERE sequence = 2", "Audit entry 2 is missing."),
        (
            "DELETE FROM backoffice_auditentry WHERE sequence = 3",
            "The audit trail ends at entry 2, but 3 were written.",
        ),
    ],
)
def test_a_change_past_the_triggers_is_found(statement: str, finding: str) -> None:
    entries(3)
    with _without_triggers(), connection.cursor() as cursor:
        cursor.execute(statement)

    assert finding in list(verify_audit())


def test_the_proof_of_everything_reads_the_trail() -> None:
    entries(3)
    with _without_triggers(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM backoffice_auditentry WHERE sequence = 2")

    assert "Audit entry 2 is missing." in problems()


def test_a_chain_computed_anew_does_not_get_past_an_anchor() -> None:
    entries(2)
    noted = AuditEntry.objects.get(sequence=2)

    assert list(verify_audit(anchor=(2, noted.hash))) == []
    assert list(verify_audit(anchor=(2, "0" * 64))) == [
        "Audit entry 2 is not the one that was noted."
    ]


def test_a_missing_trigger_is_a_finding() -> None:
    name = "audit_append_only" if connection.vendor == "postgresql" else "audit_no_update"
    on = " ON backoffice_auditentry" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}{on}")

    assert list(verify_audit()) == [f"Trigger {name} is missing or switched off."]


def test_it_tells_how_far_the_proof_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_verification, "CHUNK", 2)
    entries(5)
    told: list[tuple[int, int]] = []

    assert list(verify_audit(progress=lambda done, total: told.append((done, total)))) == []
    assert told == [(2, 5), (4, 5)]


def test_every_trigger_is_known_by_name() -> None:
    of_the_log = {f"log_backoffice_instruction_{event}" for event in ("insert", "update")}

    assert active_triggers("backoffice") == set(TRIGGERS[connection.vendor]) | of_the_log


def test_the_form_of_the_hash_stands_for_ever() -> None:
    at = datetime(2026, 3, 4, 5, 6, 7, 89_000, tzinfo=UTC)
    digest = entry_hash("0" * 64, [7, at, 'é"', {"b": 1, "a": None}])

    text = f'["{"0" * 64}",7,"2026-03-04T05:06:07.089Z","\\u00e9\\"",{{"a":null,"b":1}}]'
    assert digest == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_writers_at_once_make_one_chain() -> None:
    support = staff_as(Role.SUPPORT)

    results = at_once(
        [
            lambda: append_entry(staff=support, action=DEED, record=AuditRecord(), now=utc_now())
            for _ in range(16)
        ]
    )

    assert [result for result in results if isinstance(result, Exception)] == []
    assert AuditHead.objects.get().sequence == 16
    assert list(verify_audit()) == []


class _without_triggers:  # noqa: N801  # reads as a statement
    """What a thief with all rights on the database would do, undone at the end of the test."""

    def __enter__(self) -> None:
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET LOCAL session_replication_role = replica")
                return
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            self.triggers = cursor.fetchall()
            for name, _ in self.triggers:
                cursor.execute(f"DROP TRIGGER {name}")

    def __exit__(self, *_: object) -> None:
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET LOCAL session_replication_role = DEFAULT")
                return
            for _, statement in self.triggers:
                cursor.execute(statement)
