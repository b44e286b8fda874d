"""What the page of a payout says that the bank sent back."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from backoffice import payout_answer
from backoffice.queues import queues_in
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from payouts.bank_accounts import BankDetails, open_bank_account
from payouts.models import BankAccount, Payout
from payouts.services import (
    RETURNED_BY_BANK,
    cancel_payout,
    mark_sent,
    record_failed,
    record_paid,
    record_returned,
)
from payouts.tasks import gather_movements
from tests.backoffice.conftest import Office
from tests.backoffice.rows import caller_of, paid_payment, scheduled_payout
from tests.signed_changes import write_signed

pytestmark = pytest.mark.django_db


@pytest.fixture
def returned(merchant: Merchant) -> Payout:
    paid_payment(merchant, 10_000)
    payout = scheduled_payout(merchant)
    mark_sent(payout_id=payout.pk, actor="staff:x", now=utc_now())
    record_paid(payout_id=payout.pk, actor="staff:x", now=utc_now())
    return record_returned(
        payout_id=payout.pk, code="AC04", message="Account closed.", actor="system:x", now=utc_now()
    )


def account_link(account: BankAccount) -> str:
    return f'<a class="bo-link" href="{page_of(account)}">{account}</a>'


def page(office: Office, payout: Payout) -> str:
    return office(Role.SUPPORT).get(page_of(payout)).content.decode()


def test_it_says_why_it_was_returned(office: Office, returned: Payout) -> None:
    shown = page(office, returned)

    assert "Account closed (AC04)." in shown
    assert "<dt>Requested by</dt><dd>staff</dd>" in shown
    assert f", to the same account ({account_link(returned.bank_account)}): ask the" in shown


def test_its_timeline_says_why_it_was_returned(office: Office, returned: Payout) -> None:
    [move] = [
        each
        for each in office(Role.SUPPORT).get(page_of(returned)).context["timeline"]
        if each.title == "Returned"
    ]

    assert move.details == ("Account closed (AC04).",)


def test_the_account_to_which_it_went_is_a_link(office: Office, returned: Payout) -> None:
    account = returned.bank_account

    assert f"<dt>To</dt><dd>{account_link(account)}</dd>" in page(office, returned)


def another_account(payout: Payout) -> BankAccount:
    before = payout.bank_account
    details = BankDetails(
        currency=before.currency,
        holder_name="Shop",
        bank_name="Other Bank",
        number="5550001112",
        clearing_code="00123",
    )
    return open_bank_account(
        merchant_id=before.merchant_id,
        livemode=before.livemode,
        details=details,
        actor="staff:x",
        now=utc_now(),
    )


def test_it_names_the_account_that_has_replaced_the_one_of_the_return(
    office: Office, returned: Payout
) -> None:
    account = another_account(returned)

    shown = page(office, returned)

    assert f"next payout, to the merchant&#x27;s new account ({account_link(account)})." in shown
    assert "ask the merchant whether" not in shown


def test_it_says_that_returned_money_stays_without_an_account(
    office: Office, returned: Payout
) -> None:
    write_signed(returned, livemode=True)
    BankAccount.objects.update(livemode=True, closed_at=utc_now())

    assert "and stays there until the merchant has a bank account: it has none." in page(
        office, returned
    )


def test_it_names_the_account_for_returned_money_that_waits_for_review(
    office: Office, returned: Payout
) -> None:
    account = another_account(returned)
    write_signed(returned, livemode=True)
    BankAccount.objects.update(livemode=True, closed_at=utc_now())
    BankAccount.objects.filter(pk=account.pk).update(is_pending=True, closed_at=None)

    assert f"a bank account: {account_link(account)} waits for review." in page(office, returned)


def test_money_that_is_only_gathered_for_the_next_payout_is_still_to_go_out(
    office: Office, returned: Payout
) -> None:
    assert gather_movements()

    assert "to go out with the merchant's next payout" in page(office, returned)


def test_a_code_that_is_ours_is_no_reason(office: Office, returned: Payout) -> None:
    Payout.objects.update(failure_code=RETURNED_BY_BANK)

    assert "The bank sent it back: Account closed.<" in page(office, returned)


def test_the_money_is_followed_into_the_next_payout(office: Office, returned: Payout) -> None:
    following = scheduled_payout(returned.merchant)

    shown = page(office, returned)

    assert "to go out with" not in shown
    assert "; the next payout, made " in shown
    assert "includes it, and is scheduled." in shown
    assert page_of(following) in shown


def waiting() -> list[Payout]:
    """Return the payouts that the dashboard counts."""
    [queue] = [each for each in queues_in(Payout) if each.title == "Payouts failed or returned"]
    return list(queue.rows(livemode=False, now=utc_now()))


def test_it_waits_until_its_money_has_left_again(returned: Payout) -> None:
    assert waiting() == [returned]
    following = scheduled_payout(returned.merchant)
    assert waiting() == [returned]  # there is still time to change the account

    mark_sent(payout_id=following.pk, actor="staff:x", now=utc_now())

    assert waiting() == []


def test_one_that_failed_waits_until_its_money_has_left_again(merchant: Merchant) -> None:
    paid_payment(merchant, 10_000)
    failed = scheduled_payout(merchant)
    record_failed(payout_id=failed.pk, code="AC06", message="Blocked.", actor="x", now=utc_now())
    assert waiting() == [failed]

    mark_sent(payout_id=scheduled_payout(merchant).pk, actor="staff:x", now=utc_now())

    assert waiting() == []


@pytest.mark.parametrize(("left", "waits"), [(0, True), (-1, False)])
def test_it_waits_while_enough_is_left_to_be_paid_out(
    returned: Payout, left: int, waits: bool
) -> None:
    paid_out = returned.amount - settings.PAYOUT_MINIMUM - left
    following = scheduled_payout(returned.merchant, paid_out)
    mark_sent(payout_id=following.pk, actor="staff:x", now=utc_now())

    assert (waiting() == [returned]) == waits


@pytest.mark.parametrize("differs", ["merchant", "livemode", "currency"])
def test_only_a_payout_of_the_same_balance_has_its_money(
    returned: Payout, stranger: Merchant, differs: str
) -> None:
    following = scheduled_payout(returned.merchant)
    mark_sent(payout_id=following.pk, actor="staff:x", now=utc_now())
    other: dict[str, Any] = {"merchant": stranger, "livemode": True, "currency": "USD"}

    Payout.objects.filter(pk=following.pk).update(**{differs: other[differs]})

    assert waiting() == [returned]


def test_one_that_failed_at_once_does_not_hide_itself(merchant: Merchant) -> None:
    paid_payment(merchant, 10_000)
    failed = scheduled_payout(merchant)
    record_failed(payout_id=failed.pk, code="", message="No.", actor="x", now=failed.created_at)

    assert waiting() == [failed]


def test_it_waits_for_a_week(returned: Payout) -> None:
    Payout.objects.update(updated_at=utc_now() - timedelta(days=6, hours=23))
    assert waiting() == [returned]

    Payout.objects.update(updated_at=utc_now() - timedelta(days=7, hours=1))

    assert waiting() == []


def test_money_that_came_back_twice_waits_once(returned: Payout) -> None:
    following = scheduled_payout(returned.merchant)
    record_failed(
        payout_id=following.pk, code="", message="Closed.", actor="staff:x", now=utc_now()
    )

    assert waiting() == [following]


def test_it_waits_on_if_the_payout_with_its_money_is_canceled(
    office: Office, returned: Payout
) -> None:
    following = scheduled_payout(returned.merchant)
    cancel_payout(caller=caller_of(returned.merchant), payout_id=following.pk, now=utc_now())

    assert waiting() == [returned]
    assert "to go out with the merchant's next payout" in page(office, returned)


def test_the_money_is_followed_past_a_canceled_payout(office: Office, returned: Payout) -> None:
    """It waited for a week, and its page ended at the payout that was canceled."""
    canceled = scheduled_payout(returned.merchant)
    cancel_payout(caller=caller_of(returned.merchant), payout_id=canceled.pk, now=utc_now())
    following = scheduled_payout(returned.merchant)
    mark_sent(payout_id=following.pk, actor="staff:x", now=utc_now())

    assert waiting() == []
    shown = page(office, returned)
    assert page_of(following) in shown
    assert "includes it, and is in transit." in shown


def test_the_money_is_followed_past_some_canceled_payouts_and_no_more(
    office: Office, returned: Payout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A merchant schedules and cancels as many as it likes: each was one more step of the page."""
    monkeypatch.setattr(payout_answer, "MOST_CANCELED", 2)
    caller, canceled = caller_of(returned.merchant), []
    for _ in range(3):
        canceled.append(scheduled_payout(returned.merchant))
        cancel_payout(caller=caller, payout_id=canceled[-1].pk, now=utc_now())

    shown = page(office, returned)

    assert page_of(canceled[1]) in shown
    assert "includes it, and is canceled." in shown


def test_it_waits_until_payouts_of_parts_have_taken_all_of_its_money(
    office: Office, returned: Payout
) -> None:
    """One that took a part, such as 10.00 of 100.00, hid the rest, which has not left."""
    part = scheduled_payout(returned.merchant, returned.amount - 5_000)
    mark_sent(payout_id=part.pk, actor="staff:x", now=utc_now())
    assert waiting() == [returned]
    assert ", is of B$" in page(office, returned)

    rest = scheduled_payout(returned.merchant)
    mark_sent(payout_id=rest.pk, actor="staff:x", now=utc_now())

    assert waiting() == []


def test_one_payout_of_a_part_hides_neither_of_two_returns(
    returned: Payout, merchant: Merchant
) -> None:
    second = scheduled_payout(merchant, 4_000)
    mark_sent(payout_id=second.pk, actor="staff:x", now=utc_now())
    record_failed(payout_id=second.pk, code="AC06", message="Blocked.", actor="x", now=utc_now())
    part = scheduled_payout(merchant, 5_000)
    mark_sent(payout_id=part.pk, actor="staff:x", now=utc_now())

    assert {*waiting()} == {returned, second}
