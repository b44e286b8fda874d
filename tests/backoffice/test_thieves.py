"""What dishonest staff would try in order to move more money alone than their limit."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User

from backoffice.actions import ActionContext, run
from backoffice.admin.customer_actions import REVEAL
from backoffice.audit import MOST_AN_HOUR, AuditAction, AuditRecord, append_entry, audited
from backoffice.errors import ActionLimitReached, IndependentApproverRequired
from backoffice.models import AuditOutcome, Instruction
from backoffice.roles import InstructionKind, Right, Role
from backoffice.services.decisions import approve
from backoffice.services.independence import COOLING_OFF
from backoffice.services.instructions import instruct
from backoffice.services.money import left_to_refund, with_refunds_asked
from backoffice.staff import Staff, roles_of
from backoffice.statuses import InstructionStatus
from core.clock import utc_now
from payments.models import Payment
from tests.backoffice.acting import act
from tests.backoffice.colleagues import (
    FIRST,
    SECOND,
    at_desk,
    decide,
    let_in,
    staff_named,
    two_administrators,
)
from tests.backoffice.conftest import make_user, staff_as
from tests.backoffice.rows import paid_payment, refund_request
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db
HOUR, MOMENT = timedelta(hours=1), timedelta(milliseconds=1)


def large(staff: Staff, paid: Payment) -> Instruction:
    """Ask for what takes two people."""
    return instruct(staff=staff, request=refund_request(paid, 200_000), now=utc_now())


def approved(staff: Staff, instruction: Instruction, days: int = 30) -> bool:
    """Try to approve, some days later for a thief who waits."""
    Instruction.objects.update(expires_at=utc_now() + timedelta(days=days + 1))
    later = utc_now() + timedelta(days=days)
    try:
        approve(staff=staff, instruction_id=instruction.pk, note="", now=later)
    except IndependentApproverRequired:
        return False
    return True


def test_a_new_colleague_agrees_with_others_from_the_next_day_on(paid: Payment) -> None:
    two_administrators()
    let_in("new.one")
    asked = large(staff_as(Role.SUPPORT), paid)

    assert not approved(staff_named("new.one"), asked, days=0)
    assert approved(staff_named("new.one"), asked, days=COOLING_OFF.days)


def test_what_is_asked_of_one_payment_is_taken_from_no_other(paid: Payment) -> None:
    other = paid_payment(paid.merchant, 500_000)
    large(staff_as(Role.SUPPORT), paid)

    asked = with_refunds_asked(Payment.objects.all(), utc_now())

    of_each = {payment.pk: vars(payment)["refund_asked"] for payment in asked}
    assert of_each == {paid.pk: 200_000, other.pk: 0}
    assert left_to_refund(paid, utc_now()) == 300_000


def test_what_is_no_refund_is_taken_from_no_payment(paid: Payment) -> None:
    large(staff_as(Role.SUPPORT), paid)
    Instruction.objects.update(kind=InstructionKind.WALLET_ACCESS)

    assert left_to_refund(paid, utc_now()) == 500_000
    [payment] = with_refunds_asked(Payment.objects.all(), utc_now())
    assert vars(payment)["refund_asked"] == 0


def test_no_one_copies_the_phone_book(paid: Payment) -> None:
    support, colleague, now = staff_as(Role.SUPPORT), staff_as(Role.SUPPORT, "cleo"), utc_now()

    other_act = AuditAction("send receipt", Right.RECEIPT, "payment", paid.pk, limited=True)

    def reveal_one(staff: Staff, now: datetime) -> str:
        asked = ActionContext(staff, paid.paying_customer, {"reason": "To call back"}, now)
        return run(REVEAL, asked).secret

    for _ in range(MOST_AN_HOUR):
        assert reveal_one(support, now) == "+12425550100"
    with audited(staff=support, action=other_act, now=now):
        pass
    for _ in range(MOST_AN_HOUR):
        with pytest.raises(ActionLimitReached):
            reveal_one(support, now + HOUR - MOMENT)
    assert reveal_one(colleague, now) == reveal_one(support, now + HOUR) == "+12425550100"


def test_a_superuser_keeps_no_more_than_the_roles_that_are_set() -> None:
    two_administrators()
    user = User.objects.create_user("root", is_staff=True, is_superuser=True)
    assert roles_of(user) == {Role.ADMINISTRATOR}

    act(at_desk(), user, "roles", reason="x", roles=["Viewer"])
    decide(SECOND)

    assert roles_of(User.objects.get(pk=user.pk)) == {Role.VIEWER}


def test_other_currencies_gain_nothing(paid: Payment) -> None:
    """Five of BSD, five of USD, five of EUR: each would be within a limit of its own."""
    finance = staff_as(Role.FINANCE)
    statuses = [
        instruct(
            staff=finance,
            request=refund_request(
                paid,
                5_000,
                task="top_up",
                subject_id=paid.customer_id,
                currency=currency,
                note_on=None,
                arguments={},
            ),
            now=utc_now(),
        ).status
        for currency in ("BSD", "USD", "EUR", "GBP", "KWD")
    ]

    assert statuses == [*[InstructionStatus.CARRIED_OUT] * 4, InstructionStatus.WAITING]


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize(
    ("change", "dependent"),
    [
        ({}, True),
        ({"kind": "live_key"}, False),
        ({"status": "declined"}, False),
        ({"subject_id": "someone.else"}, False),
    ],
)
def test_who_was_let_in_by_whom_is_seen_from_what_was_carried_out(
    paid: Payment, change: dict[str, str], dependent: bool
) -> None:
    two_administrators()
    let_in("friend")
    asked = large(staff_named(FIRST), paid)
    Instruction.objects.exclude(pk=asked.pk).update(**change)

    assert approved(staff_named("friend"), asked, days=2) is not dependent


@pytest.mark.parametrize(
    ("act", "outcome", "days", "dependent"),
    [
        ("set roles", AuditOutcome.DONE, 6, True),
        ("set roles", AuditOutcome.DONE, 7, False),
        ("set roles", AuditOutcome.REFUSED, 6, False),
        ("lift lock-out", AuditOutcome.DONE, 6, False),
    ],
)
def test_of_the_entries_of_before_only_what_let_someone_in_counts(
    paid: Payment, act: str, outcome: AuditOutcome, days: int, dependent: bool
) -> None:
    two_administrators()
    make_user(Role.FINANCE)
    action = AuditAction(act=act, right=Right.STAFF, subject_type="staff", subject_id="finance")
    record = AuditRecord(outcome=outcome)
    append_entry(staff=staff_named(FIRST), action=action, record=record, now=utc_now())

    asked = large(staff_named(FIRST), paid)
    assert approved(staff_named("finance"), asked, days=days) is not dependent


def test_two_whom_no_second_person_approved_are_not_dependent_for_that(paid: Payment) -> None:
    two_administrators()
    make_user(Role.ADMINISTRATOR, "third")
    let_in("friend", asks=FIRST, approves="third")
    let_in("other", asks=SECOND, approves="third")
    Instruction.objects.update(decided_by=None)

    asked = large(staff_named("friend"), paid)
    assert approved(staff_named("other"), asked, days=2)
