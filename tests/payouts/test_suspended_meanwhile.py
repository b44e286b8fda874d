"""Nothing leaves for a merchant that is suspended while its payout waits for another's lock.

What a statement joins to the row that it waits for is of before the wait.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import transaction

from core.clock import utc_now
from merchants.services import set_status
from merchants.statuses import MerchantStatus
from payouts.errors import PayoutStatusUnfit
from payouts.models import Payout, PayoutBatch
from payouts.services import mark_sent
from tests.payouts.batching import batch_of, live_payout
from tests.races import at_once, wait_for_a_waiter

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
