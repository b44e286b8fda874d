"""Instructions given and decided at the same instant, and what may be done a number of times."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Barrier, BrokenBarrierError, Event

import pytest
from django.contrib.auth.models import User

from backoffice.actions import ActionContext, ActionResult, run
from backoffice.admin.customer_actions import REVEAL
from backoffice.errors import (
    ActionLimitReached,
    IdentityNotProven,
    InstructionDecided,
    RefundFormStale,
)
from backoffice.models import Instruction
from backoffice.roles import Role
from backoffice.services.accounts import close_account
from backoffice.services.customers import unlock
from backoffice.services.decisions import (
    BREAK_GLASS_DELAY,
    approve,
    break_glass,
    finish_break_glass,
)
from backoffice.services.instruction_kinds import RESET_ACCESS
from backoffice.services.instructions import InstructionRequest, carry_out, instruct
from backoffice.services.staff_mail import withdraw_invitations
from core.clock import utc_now
from refunds.models import Refund
from refunds.services import RefundDraft, create_refund
from tests.backoffice.colleagues import (
    FIRST,
    SECOND,
    ask_for_account,
    at_desk,
    staff_named,
    two_administrators,
    waiting,
)
from tests.backoffice.conftest import staff_as
from tests.backoffice.rows import caller_of, paid_payment, refund_request
from tests.factories import CustomerFactory
from tests.races import at_once, held_up, wait_for_a_waiter

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

EACH = 10_000


def test_forms_at_once_do_not_both_fit_into_a_limit(merchant) -> None:
    payments = [paid_payment(merchant, EACH) for _ in range(8)]
    support = staff_as(Role.SUPPORT)
    wishes = [refund_request(payment, EACH) for payment in payments]

    calls = [partial(instruct, staff=support, request=request, now=utc_now()) for request in wishes]
    results = at_once(calls)

    assert [result for result in results if isinstance(result, Exception)] == []
    assert Instruction.objects.filter(status="carried_out").count() == 5
    assert Refund.objects.count() == 5


def test_two_administrators_who_ask_about_each_other_at_once_both_may() -> None:
    two_administrators()
    rounds = 3
    for number in range(rounds):
        calls = [
            partial(instruct, staff=staff_named(asks), request=_reset(whom, number), now=utc_now())
            for asks, whom in ((FIRST, SECOND), (SECOND, FIRST))
        ]
        asked = at_once(calls)
        assert [one for one in asked if isinstance(one, Exception)] == []

    assert Instruction.objects.filter(status="waiting").count() == 2 * rounds


def test_two_who_reset_each_other_at_once_do_not_block_each_other(monkeypatch) -> None:
    """Each held its own request, and wanted the other's to decline it: the database ended one."""
    two_administrators()
    others = [staff_as(Role.ADMINISTRATOR, name) for name in ("third", "fourth")]
    asked = [
        instruct(staff=staff_named(asks), request=_reset(whom, 0), now=utc_now())
        for asks, whom in ((FIRST, SECOND), (SECOND, FIRST))
    ]
    both = Barrier(2)

    def meet(**_: object) -> None:
        with suppress(BrokenBarrierError):  # the other one waits for a lock
            both.wait(0.3)

    monkeypatch.setattr("backoffice.services.decisions.refuse_dependent_approver", meet)

    agree = partial(approve, note="", now=utc_now())
    calls = [
        partial(agree, staff=staff, instruction_id=each.pk)
        for staff, each in zip(others, asked, strict=True)
    ]
    refused = [result for result in at_once(calls) if isinstance(result, Exception)]

    assert [type(error) for error in refused] == [InstructionDecided]
    ended = Instruction.objects.order_by("status").values_list("status", flat=True)
    assert list(ended) == ["carried_out", "declined"]


def test_two_who_finish_resets_of_each_other_at_once_do_not_block_each_other(monkeypatch) -> None:
    """As with approvals: the one whom the database ended read nothing of what had happened."""
    two_administrators()
    now = utc_now()
    asked = [
        instruct(staff=staff_named(asks), request=_reset(whom, 0), now=now)
        for asks, whom in ((FIRST, SECOND), (SECOND, FIRST))
    ]
    for who, each in zip((FIRST, SECOND), asked, strict=True):
        then = now - BREAK_GLASS_DELAY
        break_glass(staff=staff_named(who), instruction_id=each.pk, note="", now=then)
    both = Barrier(2)

    def meet(*arguments: object, **named: object) -> None:
        with suppress(BrokenBarrierError):  # the other one waits for a lock
            both.wait(0.3)
        carry_out(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("backoffice.services.decisions.carry_out", meet)
    finish = partial(finish_break_glass, note="", now=now)
    calls = [
        partial(finish, staff=staff_named(who), instruction_id=each.pk)
        for who, each in zip((FIRST, SECOND), asked, strict=True)
    ]
    refused = [result for result in at_once(calls) if isinstance(result, Exception)]

    assert [type(error) for error in refused] == [InstructionDecided]
    ended = Instruction.objects.order_by("status").values_list("status", flat=True)
    assert list(ended) == ["carried_out", "declined"]


def test_a_closing_and_an_approval_about_someone_invited_do_not_block_each_other(
    monkeypatch,
) -> None:
    """The closing held the account and wanted the invited one, and the approval both, in turn."""
    invited = staff_as(Role.SUPPORT, "invited")  # the older account: it is locked first
    two_administrators()
    third, fourth = (staff_as(Role.ADMINISTRATOR, name) for name in ("third", "fourth"))
    asks, now = staff_named(FIRST), utc_now()
    agree = partial(approve, staff=third, note="", now=now)
    done, waits = (
        instruct(staff=asks, request=_reset(invited.username, number), now=now)
        for number in range(2)
    )
    agree(instruction_id=done.pk)
    closing = Event()

    def withdraw_while_another_waits(sponsor: User) -> list[str]:
        closing.set()
        wait_for_a_waiter()
        return withdraw_invitations(sponsor)

    def agree_meanwhile() -> object:
        assert closing.wait(30)
        return agree(instruction_id=waits.pk)

    replaced = "backoffice.services.accounts.withdraw_invitations"
    monkeypatch.setattr(replaced, withdraw_while_another_waits)
    close = partial(close_account, staff=fourth, user_id=asks.user_id, reason="Stolen", now=now)

    calls: list[Callable[[], object]] = [close, agree_meanwhile]
    closed, approved = at_once(calls)

    assert closed is None
    assert isinstance(approved, InstructionDecided)
    assert User.objects.get(username=invited.username).email == ""


def test_what_an_account_approves_as_it_is_closed_invites_no_one() -> None:
    """The invitation came from an approval that was not committed yet: the closing missed it."""
    two_administrators()
    ask_for_account(at_desk(), "friend")
    first, second = staff_named(FIRST), staff_named(SECOND)
    asked, now = waiting(), utc_now()

    closed = held_up(
        partial(approve, staff=second, instruction_id=asked.pk, note="", now=now),
        partial(close_account, staff=first, user_id=second.user_id, reason="Found out", now=now),
    )

    assert closed is None
    friend = User.objects.get(username="friend")
    assert friend.email == ""


def test_many_at_once_are_no_more_than_an_hour_allows(monkeypatch) -> None:
    """As many telephone numbers as there were threads were shown beyond the limit."""
    monkeypatch.setattr("backoffice.audit.MOST_AN_HOUR", 3)
    support = staff_as(Role.SUPPORT)
    customers = [CustomerFactory(phone=f"+12425550{number}") for number in range(100, 108)]

    calls = [
        partial(run, REVEAL, ActionContext(support, customer, {"reason": "Asked"}, utc_now()))
        for customer in customers
    ]
    results = at_once(calls)
    shown = [result.secret for result in results if isinstance(result, ActionResult)]

    assert len(shown) == 3
    assert set(shown) <= {customer.phone for customer in customers}
    assert sum(isinstance(result, ActionLimitReached) for result in results) == 5


def test_of_many_wrong_answers_at_once_no_more_than_three_are_compared() -> None:
    """Each was compared before the others were written: as many guesses as there were threads."""
    customer, support = CustomerFactory(), staff_as(Role.SUPPORT)
    answers = {"merchant": "", "email": "", "customer_id": customer.pk, "now": utc_now()}
    wrong = partial(unlock, staff=support, **answers)

    at_first = at_once([partial(wrong, amount=amount) for amount in range(100, 112)])
    then = [at_once([partial(wrong, amount=amount)])[0] for amount in range(200, 203)]

    refused = [error for error in (*at_first, *then) if isinstance(error, IdentityNotProven)]
    assert len(refused) == 15
    assert [error.details for error in refused].count("") == 3


def _reset(username: str, number: int) -> InstructionRequest:
    return InstructionRequest(
        task=RESET_ACCESS,
        subject_id=username,
        livemode=True,
        amount=0,
        currency="",
        reason="A lost phone",
        note="",
        form_key=f"{username} {number}",
        arguments={"email": f"{username}@example.com"},
    )


def test_a_refund_that_is_made_during_an_approval_has_to_be_read_first(merchant) -> None:
    payment = paid_payment(merchant, 500_000)
    request = refund_request(payment, 200_000)
    asked = instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())
    by_shop, half = caller_of(merchant), RefundDraft(amount=100_000)
    by_finance, read = staff_as(Role.FINANCE), payment.amount_refundable

    refused = held_up(
        lambda: create_refund(caller=by_shop, payment_id=payment.pk, draft=half, now=utc_now()),
        lambda: approve(
            staff=by_finance,
            instruction_id=asked.pk,
            note="",
            now=utc_now(),
            expected_available=read,
        ),
    )

    assert isinstance(refused, RefundFormStale)
    assert Refund.objects.count() == 1


def test_two_approvals_at_once_are_one(merchant) -> None:
    request = refund_request(paid_payment(merchant, 500_000), 2 * EACH)
    waiting = instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())
    people = [staff_as(Role.FINANCE), staff_as(Role.ADMINISTRATOR)]
    agree = partial(approve, instruction_id=waiting.pk, note="", now=utc_now())

    results = at_once([partial(agree, staff=staff) for staff in people])

    refused = [result for result in results if isinstance(result, Exception)]
    assert [type(error) for error in refused] == [InstructionDecided]
    assert Refund.objects.count() == 1
