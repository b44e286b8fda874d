"""What counts towards a limit, how long an instruction waits, and what the audit names."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from backoffice.errors import Forbidden, InstructionDecided, InstructionExpired
from backoffice.models import AuditEntry, Instruction
from backoffice.roles import RIGHTS, InstructionKind, Right, Role
from backoffice.services import decisions, instructions
from backoffice.services.decisions import (
    approve,
    decline,
    expire_due,
    lock_waiting,
    withdraw,
)
from backoffice.services.instruction_kinds import TASKS
from backoffice.services.instructions import (
    InstructionRequest,
    _subject_type,
    instruct,
    left_without_approval,
    lock_people,
    spent_in_a_day,
)
from core.clock import utc_now
from payments.models import Payment
from refunds.models import Refund
from tests.backoffice.conftest import staff_as
from tests.backoffice.rows import refund_request


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        ({}, True),
        ({"kind": "top_up"}, False),
        ({"livemode": True}, False),
        ({"status": "waiting", "decided_at": None}, False),
        ({"hours": 24}, False),
    ],
)
def test_what_counts_towards_a_day(paid: Payment, change: dict[str, Any], counts: bool) -> None:
    now, support = utc_now(), staff_as(Role.SUPPORT)
    instruct(staff=support, request=refund_request(paid, 10_000), now=now)
    hours = change.get("hours", 0)
    columns = {name: value for name, value in change.items() if name != "hours"}
    if columns:
        Instruction.objects.update(**columns)

    spent = spent_in_a_day(
        user_id=support.user_id,
        kind="refund",
        livemode=False,
        now=now + timedelta(hours=hours),
    )

    assert spent == (10_000 if counts else 0)


def test_what_another_person_did_or_agreed_to_does_not_count(paid: Payment) -> None:
    now, support, finance = utc_now(), staff_as(Role.SUPPORT), staff_as(Role.FINANCE)
    waiting = instruct(staff=support, request=refund_request(paid, 20_000), now=now)
    approve(staff=finance, instruction_id=waiting.pk, note="", now=now)

    for staff in (support, finance):
        spent = spent_in_a_day(user_id=staff.user_id, kind="refund", livemode=False, now=now)
        assert spent == 0


@pytest.mark.parametrize(
    ("spent", "left"),
    [(0, 10_000), (40_000, 10_000), (40_001, 9_999), (50_000, 0), (50_001, 0)],
)
def test_what_is_left_of_a_day(
    db: None, monkeypatch: pytest.MonkeyPatch, spent: int, left: int
) -> None:
    monkeypatch.setattr(instructions, "spent_in_a_day", lambda **_: spent)

    assert left == left_without_approval(
        staff=staff_as(Role.SUPPORT), kind=InstructionKind.REFUND, livemode=True, now=utc_now()
    )


def test_it_waits_seven_days(paid: Payment) -> None:
    now = utc_now()
    waiting = instruct(staff=staff_as(Role.SUPPORT), request=refund_request(paid, 20_000), now=now)
    assert expire_due(now=now + timedelta(days=7, microseconds=-1)) == 0

    with pytest.raises(InstructionExpired):
        approve(
            staff=staff_as(Role.FINANCE),
            instruction_id=waiting.pk,
            note="",
            now=now + timedelta(days=7),
        )
    assert expire_due(now=now + timedelta(days=7)) == 1


def test_the_audit_names_what_was_acted_on(paid: Payment) -> None:
    now = utc_now()
    waiting = instruct(staff=staff_as(Role.SUPPORT), request=refund_request(paid, 20_000), now=now)
    approve(staff=staff_as(Role.FINANCE), instruction_id=waiting.pk, note="Fine", now=now)

    entries = AuditEntry.objects.order_by("sequence")
    assert [(entry.subject_type, entry.subject_id) for entry in entries] == [
        ("payment", paid.pk),
        ("instruction", waiting.pk),
    ]
    waiting.refresh_from_db()
    assert waiting.decision_note == "Fine"
    assert entries[1].before == {"status": "waiting", "result_id": ""}
    assert entries[1].after == {"status": "carried_out", "result_id": waiting.result_id}


def test_the_approver_needs_the_right_of_the_task_too(
    paid: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = utc_now()
    waiting = instruct(staff=staff_as(Role.SUPPORT), request=refund_request(paid, 20_000), now=now)
    monkeypatch.setitem(RIGHTS, Role.FINANCE, frozenset({Right.APPROVE}))

    with pytest.raises(Forbidden):
        approve(staff=staff_as(Role.FINANCE), instruction_id=waiting.pk, note="", now=now)

    assert not Refund.objects.exists()


def test_the_audit_has_what_was_asked_for_and_what_became_of_it(paid: Payment) -> None:
    now, support = utc_now(), staff_as(Role.SUPPORT)
    for act, staff in ((decline, staff_as(Role.FINANCE)), (withdraw, support)):
        asked = instruct(staff=support, request=refund_request(paid, 20_000), now=now)
        act(staff=staff, instruction_id=asked.pk, note="No", now=now)

    found = AuditEntry.objects.order_by("sequence").values_list("act", "before", "after")
    entry = {"status": "waiting", "amount": 20_000, "currency": "BSD", "task": "refund"}
    refund: tuple[Any, ...] = ("refund", {}, entry | {"subject_id": paid.pk, "result_id": ""})
    assert list(found) == [
        refund,
        ("decline", {"status": "waiting"}, {"status": "declined"}),
        refund,
        ("withdraw", {"status": "waiting"}, {"status": "withdrawn"}),
    ]
    decided = Instruction.objects.values_list("status", "decision_note", "decided_at")
    assert set(decided) == {("declined", "No", now), ("withdrawn", "No", now)}


@pytest.mark.parametrize(
    ("task", "locked"),
    [("set_roles", ["developer", "finance", "support"]), ("refund", ["support"])],
)
def test_who_acts_is_locked_and_who_asked_and_the_colleague_whom_it_is_about(
    task: str, locked: list[str], db: None
) -> None:
    acts, about = staff_as(Role.SUPPORT), staff_as(Role.FINANCE)
    asked = staff_as(Role.DEVELOPER)
    staff_as(Role.VIEWER)

    with CaptureQueriesContext(connection) as statements:
        lock_people(acts, TASKS[task], about.username, asked_by=asked.user_id)

    [statement] = statements.captured_queries
    with connection.cursor() as cursor:
        cursor.execute(statement["sql"])
        ids = [pk for (pk,) in cursor]
    names = dict(User.objects.values_list("pk", "username"))
    assert ids == sorted(ids)
    assert sorted(names[pk] for pk in ids) == locked


@pytest.mark.parametrize(
    ("task", "subject", "kind"),
    [
        ("set_roles", "pay_1", "staff"),
        ("bank_file", "0a1b", "bankfile"),
        ("refund", "pay_1", "payment"),
        ("top_up", "cus_1", "customer"),
        ("adjust_merchant", "mer_1", "merchant"),
        ("roll_live_key", "key_1", "apikey"),
        ("reverse_top_up", "top_1", "topup"),
        ("run_payouts", "bat_1", "payoutbatch"),
        ("bank_entry", "ben_1", "bankentry"),
        ("payout_failure", "po_1", "payout"),
    ],
)
def test_what_an_entry_is_about(task: str, subject: str, kind: str) -> None:
    assert _subject_type(TASKS[task], subject) == kind


def test_what_is_sealed_is_in_no_text() -> None:
    values: dict[str, Any] = dict.fromkeys(
        ("task", "subject_id", "currency", "reason", "note", "form_key"), "x"
    )
    request = InstructionRequest(
        **values, livemode=False, amount=1, secret="hush-1", sealed_file="hush-2"
    )

    assert "hush" not in repr(request)


def test_what_the_database_refuses_is_not_taken_for_a_form_sent_twice(paid: Payment) -> None:
    support = staff_as(Role.SUPPORT)
    instruct(staff=support, request=refund_request(paid, 100), now=utc_now())

    with pytest.raises(IntegrityError):
        instruct(staff=support, request=refund_request(paid, -1), now=utc_now())


def test_what_was_decided_does_not_expire_and_what_fails_to_goes_on_waiting(
    paid: Payment, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now, later = utc_now(), utc_now() + timedelta(days=8)
    waiting = instruct(staff=staff_as(Role.SUPPORT), request=refund_request(paid, 20_000), now=now)
    monkeypatch.setattr(decisions, "_tell", lambda *_, **__: 1 // 0)
    assert expire_due(now=later) == 0
    waiting.refresh_from_db()
    assert waiting.status == "waiting"

    caplog.clear()
    Instruction.objects.update(status="carried_out")
    assert expire_due(now=later) == 0
    assert caplog.records == []


def test_only_what_waits_is_locked_to_be_decided(paid: Payment) -> None:
    now = utc_now()
    waiting = instruct(staff=staff_as(Role.SUPPORT), request=refund_request(paid, 20_000), now=now)
    assert lock_waiting(waiting.pk, now) == waiting

    Instruction.objects.update(status="declined", decided_at=now)

    with pytest.raises(InstructionDecided, match="is declined"):
        lock_waiting(waiting.pk, now)
