"""Nothing leaves for a merchant that is suspended while its payout waits for another's lock.

What a statement joins to the row that it waits for is of before the wait.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import transaction

from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import set_status
from merchants.statuses import MerchantStatus
from payouts.errors import PayoutStatusUnfit
from payouts.models import Payout, PayoutBatch
from payouts.scheduling import schedule_period
from payouts.services import mark_sent
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import credit
from tests.races import at_once, held_up, wait_for_a_waiter

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def while_it_is_suspended(payout: Payout, send: Callable[[], object]) -> object:
    """Send while another transaction holds the payout, and suspends its merchant."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Payout.objects.locked(payout.id)
            set_status(
                merchant_id=payout.merchant_id, status=MerchantStatus.SUSPENDED, now=utc_now()
            )
            sending = pool.submit(at_once, [send])
            wait_for_a_waiter()
        [sent] = sending.result()
    payout.refresh_from_db()
    return sent


def test_a_payout_by_itself_does_not_leave(payout: Payout) -> None:
    send = partial(mark_sent, payout_id=payout.id, actor="system:test", now=utc_now())

    sent = while_it_is_suspended(payout, send)

    assert isinstance(sent, PayoutStatusUnfit)
    assert payout.status == "scheduled"


def test_a_batch_is_made_without_it(api) -> None:
    payout = live_payout(api)

    batch = while_it_is_suspended(payout, batch_of)

    assert batch is None
    assert payout.status == "scheduled"
    assert not PayoutBatch.objects.exists()


def test_a_batch_takes_no_payout_of_a_merchant_that_it_has_not_locked(api) -> None:
    """One that is scheduled while the batch waits for another merchant's lock."""
    first = live_payout(api)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Merchant.objects.locked(first.merchant_id)
            sending = pool.submit(at_once, [batch_of])
            wait_for_a_waiter()
            late = commit_elsewhere(lambda: live_payout(api))
        [batch] = sending.result()

    assert isinstance(batch, PayoutBatch)
    assert [payout.pk for payout in batch.payouts.all()] == [first.pk]
    late.refresh_from_db()
    assert late.status == "scheduled"


@pytest.mark.parametrize(
    "change", [{"status": MerchantStatus.UNVERIFIED}, {"payout_schedule": "manual"}]
)
def test_the_schedule_leaves_out_who_is_not_paid_out_any_more(
    bank_account, settings, change: dict[str, str]
) -> None:
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    credit(bank_account.merchant, 1250, livemode=True)
    Merchant.objects.filter(pk=bank_account.merchant_id).update(**change)
    now = utc_now()

    assert (
        schedule_period(bank_account=bank_account, period=now.date(), day=now.date(), now=now)
        is None
    )
    assert not Payout.objects.exists()


def test_the_schedule_waits_for_a_suspension_that_is_under_way(bank_account) -> None:
    owner, now = bank_account.merchant_id, utc_now()
    credit(bank_account.merchant, 1250, livemode=True)
    day = now.date()

    made = held_up(
        lambda: set_status(merchant_id=owner, status=MerchantStatus.SUSPENDED, now=now),
        lambda: schedule_period(bank_account=bank_account, period=day, day=day, now=now),
    )

    assert made is None
    assert not Payout.objects.exists()


def commit_elsewhere(make: Callable[[], Payout]) -> Payout:
    """Make something in a transaction of its own, while this one goes on."""
    with ThreadPoolExecutor(1) as pool:
        [made] = pool.submit(at_once, [make]).result()
    assert isinstance(made, Payout)
    return made
