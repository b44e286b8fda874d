"""The log names each run: a restore that has lost one does not pay it again (docs/backup.md)."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.payouts.batching import FAR, batch_of, live_payout

pytestmark = pytest.mark.django_db


def named(logs: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [log for log in logs if log["event"] == "payout_batch_made"]


def test_a_run_is_logged_once_it_is_committed(api, django_capture_on_commit_callbacks):
    live_payout(api)
    with capture_logs() as logs, django_capture_on_commit_callbacks(execute=True):
        batch = batch_of(execution_date=FAR)
        assert named(logs) == []

    [said] = named(logs)
    assert (said["batch"], said["message_id"]) == (batch.pk, batch.message_id)
    assert (said["execution_date"], said["livemode"]) == ("2100-01-01", True)
    assert (said["payouts"], said["amount"], said["currency"]) == (1, 1250, "BSD")
    assert said["actor"] == "staff:ann"
