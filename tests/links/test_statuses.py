"""The table of a link's statuses, as a table"""

import pytest

from core.clock import utc_now
from links.errors import PaymentLinkExpired, PaymentLinkInactive
from links.models import PaymentLink
from links.statuses import LinkStatus

S = LinkStatus
ALLOWED = {(S.ACTIVE, S.DEACTIVATED), (S.ACTIVE, S.EXPIRED), (S.ACTIVE, S.USED_UP)}


@pytest.mark.parametrize("before", S)
@pytest.mark.parametrize("after", S)
def test_every_move(link, before, after):
    PaymentLink.objects.update(
        status=before,
        ended_at=None if before == S.ACTIVE else utc_now(),
        max_uses=1,
        uses_count=1,
        amount_collected=1250,
    )
    link.refresh_from_db()
    refusal = PaymentLinkExpired if before == S.EXPIRED else PaymentLinkInactive

    if (before, after) in ALLOWED:
        link.transition_to(after, now=utc_now(), actor="test")
        link.refresh_from_db()
        assert (link.status, link.ended_by) == (after, "test")
    else:
        with pytest.raises(refusal):
            link.transition_to(after, now=utc_now(), actor="test")
