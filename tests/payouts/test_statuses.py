"""The table of a payout's statuses, as a table"""

import pytest

from core.clock import utc_now
from payouts.errors import PayoutStatusUnfit
from payouts.models import Payout
from payouts.statuses import CANCELABLE, EVER_PAID, NEVER_PAID, OUTGOING, PayoutStatus

S = PayoutStatus
ALLOWED = {
    (S.SCHEDULED, S.IN_TRANSIT),
    (S.SCHEDULED, S.FAILED),
    (S.SCHEDULED, S.CANCELED),
    (S.IN_TRANSIT, S.PAID),
    (S.IN_TRANSIT, S.FAILED),
    (S.PAID, S.RETURNED),
}
STAMPED = (S.PAID, S.FAILED, S.CANCELED, S.RETURNED)


@pytest.mark.parametrize("before", S)
@pytest.mark.parametrize("after", S)
def test_every_move(payout, before, after):
    stamps = {f"{status}_at": utc_now() if status == before else None for status in STAMPED}
    if before in EVER_PAID:
        stamps["paid_at"] = utc_now()
    Payout.objects.update(status=before, failure_code="x", **stamps)
    payout.refresh_from_db()

    if (before, after) in ALLOWED:
        payout.transition_to(after, now=utc_now(), actor="test", cause="why")
        last = payout.transitions.latest("id")
        assert (last.from_status, last.to_status, last.cause) == (before, after, "why")
    else:
        with pytest.raises(PayoutStatusUnfit):
            payout.transition_to(after, now=utc_now(), actor="test")


def test_the_named_sets():
    assert {S.SCHEDULED} == CANCELABLE
    assert {S.SCHEDULED, S.IN_TRANSIT} == OUTGOING
    assert {S.FAILED, S.CANCELED} == NEVER_PAID
    assert {S.PAID, S.RETURNED} == EVER_PAID
