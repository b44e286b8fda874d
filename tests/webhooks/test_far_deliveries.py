"""Which far pages of an endpoint's deliveries are found by the days that were counted"""

from types import SimpleNamespace
from typing import Any

import pytest

from core.clock import utc_now
from core.far_pages import FAR
from webhooks import delivery_log
from webhooks.delivery_log import DeliveryLog
from webhooks.models import Webhook


@pytest.mark.parametrize(
    ("offset", "adds_up", "skips"), [(FAR, True, True), (FAR - 1, True, False), (FAR, False, False)]
)
def test_only_far_deliveries_counted_by_day_are_skipped_to(
    monkeypatch: pytest.MonkeyPatch, offset: int, adds_up: bool, skips: bool
) -> None:
    counted = SimpleNamespace(
        days_add_up=lambda lookups: adds_up, key_for=lambda *key, livemode: key
    )
    monkeypatch.setattr(delivery_log, "DELIVERIES", counted)
    monkeypatch.setattr(delivery_log, "skip_newer", lambda rows, *given: ("later rows", given))
    now = utc_now()
    log = DeliveryLog(Webhook(id="wh_1"), {}, now)

    found: Any = log.far_page(offset, None)

    if skips:
        assert found == ("later rows", (("wh_1", {}), offset, now, None))
    else:
        assert (str(found[0].query), found[1]) == (str(log.queryset().query), offset)
