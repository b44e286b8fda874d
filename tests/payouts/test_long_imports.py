"""A file that takes minutes to match: each booking bears the time at which it is made"""

from datetime import timedelta
from types import SimpleNamespace

from core import clock
from ledger.models import Transfer, TransferKind
from tests.payouts.bank_files import entry, order_of, read, returned, statement


def test_what_is_booked_after_a_minute_bears_no_time_long_past(sent_pair, monkeypatch):
    """It would fall into a period whose statement is ready."""
    read(statement(*(entry(payout.amount, order_of(payout)) for payout in sent_pair)))
    passed = iter([0, 70, 140])
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: next(passed)))

    done = read(statement(*map(returned, sent_pair), message_id="M-2", number="2"))

    assert done.matched == 2
    moved = Transfer.objects.filter(kind=TransferKind.PAYOUT_REVERSED).order_by("created_at")
    first, second = moved.values_list("created_at", flat=True)
    assert second - first == timedelta(seconds=70)
