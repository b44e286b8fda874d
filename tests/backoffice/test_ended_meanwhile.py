"""An account that is closed or reset, or loses a role, while its request runs: nothing is done."""

from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User

from backoffice.audit import AuditAction, audited
from backoffice.errors import Forbidden, RequesterNotAuthorized
from backoffice.models import AuditEntry, Instruction
from backoffice.passwords import lock_account, replace_password
from backoffice.roles import Right, Role
from backoffice.services.accounts import give_roles
from backoffice.services.bank_uploads import parse_pending_upload
from backoffice.services.decisions import approve
from backoffice.services.instructions import instruct
from backoffice.staff import Staff, roles_now, roles_of
from core.clock import utc_now
from merchants.models import Merchant
from refunds.models import Refund
from tests.backoffice.conftest import make_user, staff_as
from tests.backoffice.ended_accounts import End, close, demote, reset
from tests.backoffice.rows import paid_payment, refund_request
from tests.races import held_up

pytestmark = pytest.mark.django_db
MOST = 100_000  # what someone of Finance may refund alone


def asked(merchant: Merchant) -> Instruction:
    request = refund_request(paid_payment(merchant, MOST + 1), MOST + 1)
    made = instruct(staff=staff_as(Role.FINANCE, "ann"), request=request, now=utc_now())
    assert made.status == "waiting"
    return made


def approves(staff: Staff, instruction: Instruction) -> Instruction:
    return approve(staff=staff, instruction_id=instruction.pk, note="", now=utc_now())


@pytest.mark.parametrize("end", [close, demote, reset])
def test_it_approves_nothing_more(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch, end: End
) -> None:
    """A file was read before the right was looked at: its size chose how long that took."""
    thief, instruction = staff_as(Role.FINANCE, "mallory"), asked(merchant)

    def slowly(instruction_id: str) -> Any:
        end(thief)
        return parse_pending_upload(instruction_id)

    monkeypatch.setattr("backoffice.services.decisions.parse_pending_upload", slowly)

    with pytest.raises(Forbidden):
        approves(thief, instruction)

    assert Instruction.objects.get().status == "waiting"
    assert not Refund.objects.exists()
    last = AuditEntry.objects.latest("sequence")
    assert (last.actor, last.act, last.outcome) == ("mallory", "approve", "refused")


@pytest.mark.parametrize("end", [close, demote, reset])
def test_it_does_nothing_more_alone(merchant: Merchant, end: End) -> None:
    thief, request = staff_as(Role.FINANCE), refund_request(paid_payment(merchant, MOST), MOST)
    end(thief)

    with pytest.raises(Forbidden):
        instruct(staff=thief, request=request, now=utc_now())

    assert not Instruction.objects.exists()
    assert not Refund.objects.exists()


def test_a_role_more_changes_nothing(merchant: Merchant) -> None:
    finance, instruction = staff_as(Role.FINANCE, "bob"), asked(merchant)
    roles = frozenset({Role.FINANCE, Role.SUPPORT})
    give_roles(User.objects.get(pk=finance.user_id), roles)

    assert approves(finance, instruction).status == "carried_out"


def demote_to_viewer(staff: Staff) -> None:
    by = staff_as(Role.ADMINISTRATOR, "admin")
    action = AuditAction("approve", Right.APPROVE, "instruction", "", note="Suspected")
    with audited(staff=by, action=action, now=utc_now()):
        give_roles(User.objects.get(pk=staff.user_id), frozenset({Role.VIEWER}))


@pytest.mark.postgres
@pytest.mark.real_clock
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", [close, demote_to_viewer, reset])
def test_what_waits_for_the_act_that_ends_it_is_not_done(merchant: Merchant, end: End) -> None:
    """Its right was there when its transaction began, and gone when that was to be entered."""
    thief, instruction = staff_as(Role.FINANCE, "mallory"), asked(merchant)

    done = held_up(partial(end, thief), partial(approves, thief, instruction))

    assert isinstance(done, Forbidden)
    assert Instruction.objects.get().status == "waiting"
    assert not Refund.objects.exists()


@pytest.mark.postgres
@pytest.mark.real_clock
@pytest.mark.django_db(transaction=True)
def test_what_someone_who_is_demoted_meanwhile_has_asked_for_is_not_approved(
    merchant: Merchant,
) -> None:
    """The requester's right was looked at, then taken away, and then the money was refunded."""
    instruction = asked(merchant)
    requester = staff_as(Role.FINANCE, "ann")
    accomplice = staff_as(Role.FINANCE, "mallory")

    done = held_up(partial(demote_to_viewer, requester), partial(approves, accomplice, instruction))

    assert isinstance(done, RequesterNotAuthorized)
    assert Instruction.objects.get().status == "waiting"
    assert not Refund.objects.exists()


@pytest.mark.parametrize(
    "columns", [{"is_active": False}, {"password": "!"}, {"email": "another@example.com"}]
)
def test_an_account_that_is_not_as_it_was_read_is_not_changed(columns: dict[str, Any]) -> None:
    user, colleague = make_user(Role.FINANCE), make_user(Role.FINANCE, "ann")
    User.objects.filter(pk=colleague.pk).update(password=user.password)
    assert lock_account(user)

    User.objects.filter(pk=user.pk).update(**columns)

    assert not lock_account(user)
    assert not replace_password(user, user.password)


@pytest.mark.parametrize(
    ("columns", "now", "at_sign_in"),
    [
        ({}, {Role.FINANCE}, {Role.FINANCE}),
        ({"is_active": False}, set(), set()),
        ({"is_staff": False}, set(), set()),
        ({"is_staff": False, "is_superuser": True}, set(), set()),
        ({"is_superuser": True}, {Role.ADMINISTRATOR}, {Role.ADMINISTRATOR}),
        ({"password": "!"}, set(), {Role.FINANCE}),
    ],
)
def test_only_active_staff_have_roles(
    columns: dict[str, Any], now: set[Role], at_sign_in: set[Role]
) -> None:
    staff, _ = staff_as(Role.FINANCE), staff_as(Role.SUPPORT)
    User.objects.filter(pk=staff.user_id).update(**columns)

    assert roles_now(staff) == now
    assert roles_of(User.objects.get(pk=staff.user_id)) == at_sign_in
