"""What a run stores of the filters of a list, to send again what the list shows"""

from typing import Any

import pytest

from backoffice.admin.delivery_filters import lookups_of
from backoffice.queues import queues_in
from core.clock import request_now, utc_now
from webhooks.models import Delivery


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"webhook__livemode": True}),
        ("mode=both&columns=a&p=2&e=1", {}),
        ("mode=both&endpoint=wh_1&event=evt_1", {"webhook_id": "wh_1", "event_id": "evt_1"}),
        ("mode=both&event=%00", {"event_id": "\0", "status__in": []}),
    ],
)
def test_what_chooses_rows_is_looked_up(query: str, expected: dict[str, Any]) -> None:
    assert lookups_of(query, utc_now(), delivered_too=True) == expected


def test_each_queue_of_deliveries_is_sent_as_it_is_listed() -> None:
    now = request_now()
    for queue in queues_in(Delivery):
        lookups = lookups_of(f"mode=both&queue={queue.name}", now, delivered_too=True)
        listed = queue.narrowed(Delivery.objects.all(), now)
        assert str(Delivery.objects.filter(**lookups).query) == str(listed.query)
