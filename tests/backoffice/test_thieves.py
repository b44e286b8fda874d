"""What dishonest staff would try in order to move more money alone than their limit."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from backoffice.audit import MOST_AN_HOUR
from backoffice.errors import ActionLimitReached, IndependentApproverRequired
from backoffice.models import AuditEntry, AuditOutcome, Instruction
from backoffice.roles import Role
from backoffice.services.accounts import COOLING_OFF, add_staff, reset_access, set_roles
from backoffice.services.customers import reveal
from backoffice.services.instructions import approve, instruct
from backoffice.staff import Staff, roles_of
from backoffice.statuses import InstructionStatus
from core.clock import utc_now
from payments.models import Payment
from tests.backoffice.conftest import staff_as
from tests.backoffice.rows import paid_payment, refund_request

pytestmark = pytest.mark.django_db


@pytest.fixture
def paid(merchant) -> Payment:
    return paid_payment(merchant, 500_000)


@pytest.fixture
def administrator() -> Staff:
    return staff_as(Role.ADMINISTRATOR)


def made_up(administrator: Staff, role: Role = Role.FINANCE, name: str = "made.up") -> Staff:
    """Return a colleague whom the Administrator has made."""
    add_staff(staff=administrator, username=name, role=role, email="", now=utc_now())
    return Staff(User.objects.get(username=name).pk, name, frozenset({role}))


def large(staff: Staff, paid: Payment) -> Instruction:
    """Ask for what takes two people."""
    return instruct(staff=staff, request=refund_request(paid, 200_000), now=utc_now())


def approved(staff: Staff, instruction: Instruction, days: int = 30) -> bool:
    """Try to approve, some days later for a thief who waits."""
    Instruction.objects.update(lapses_at=utc_now() + timedelta(days=days + 1))
    later = utc_now() + timedelta(days=days)
    try:
        approve(staff=staff, instruction_id=instruction.pk, note="", now=later)
    except IndependentApproverRequired:
        return False
    return True


def test_a_made_up_colleague_does_not_approve(paid: Payment, administrator: Staff) -> None:
    assert not approved(made_up(administrator), large(administrator, paid))

    entry = AuditEntry.objects.latest("sequence")
    assert (entry.act, entry.outcome) == ("approve", AuditOutcome.REFUSED)
    assert "administrator has let made.up in" in entry.error


def test_nor_is_approved_what_a_made_up_colleague_asks_for(
    paid: Payment, administrator: Staff
) -> None:
    assert not approved(administrator, large(made_up(administrator, Role.SUPPORT), paid))


@pytest.mark.parametrize("change", ["roles", "reset"])
def test_nor_does_one_whose_account_was_taken_over(
    paid: Payment, administrator: Staff, change: str
) -> None:
    asked, finance = large(administrator, paid), staff_as(Role.FINANCE)
    about: dict[str, Any] = {"staff": administrator, "user_id": finance.user_id, "now": utc_now()}
    if change == "reset":
        reset_access(reason="Lost phone", **about)
    else:
        set_roles(roles=frozenset({Role.FINANCE}), reason="Moved", **about)

    assert not approved(finance, asked)


def test_a_new_colleague_agrees_with_others_from_the_next_day_on(
    paid: Payment, administrator: Staff
) -> None:
    asked, finance = large(staff_as(Role.SUPPORT), paid), made_up(administrator)

    assert not approved(finance, asked, days=0)
    assert approved(finance, asked, days=COOLING_OFF.days)


def test_nobody_copies_the_phone_book(paid: Payment) -> None:
    support = staff_as(Role.SUPPORT)

    def reveal_one() -> str:
        return reveal(
            staff=support, customer_id=paid.paying_customer.pk, reason="To call back", now=utc_now()
        )

    for _ in range(MOST_AN_HOUR):
        assert reveal_one() == "+12425550100"
    with pytest.raises(ActionLimitReached):
        reveal_one()


def test_a_superuser_keeps_no_more_than_the_roles_that_are_set(administrator: Staff) -> None:
    user = User.objects.create_user("root", is_staff=True, is_superuser=True)
    assert roles_of(user) == {Role.ADMINISTRATOR}

    set_roles(
        staff=administrator,
        user_id=user.pk,
        roles=frozenset({Role.VIEWER}),
        reason="x",
        now=utc_now(),
    )

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
