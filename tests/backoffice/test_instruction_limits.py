"""What counts towards a limit, how long an instruction waits, and what the audit names."""

from datetime import timedelta
from typing import Any

import pytest

from backoffice.errors import Forbidden, InstructionExpired
from backoffice.models import AuditEntry, Instruction
from backoffice.roles import RIGHTS, Right, Role
from backoffice.services.decisions import approve, expire_due
from backoffice.services.instructions import instruct, spent_in_a_day
from core.clock import utc_now
from payments.models import Payment
from refunds.models import Refund
from tests.backoffice.conftest import staff_as
from tests.backoffice.rows import paid_payment, refund_request


@pytest.fixture
def paid(merchant) -> Payment:
    return paid_payment(merchant, 500_000)


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
