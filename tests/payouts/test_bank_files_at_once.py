"""Two importers at once: each answer of the bank counts once"""

from functools import partial

import pytest

from ledger.models import Purpose
from payouts.models import BankEntry, BankFile, Payout
from tests.events import event_types
from tests.payouts.bank_files import entry, notification, order_of, read, statement
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import held
from tests.races import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def sent(api, settings):
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    payouts = [live_payout(api) for _ in range(4)]
    batch_of()
    return payouts


def booked(payouts):
    return [
        entry(payout.amount, order_of(payout), reference=f"T{number}")
        for number, payout in enumerate(payouts)
    ]


def done(result):
    assert not isinstance(result, Exception), result
    return result


def test_the_same_file_four_times(sent):
    content = statement(*booked(sent))

    results = at_once([lambda: read(content)] * 4)

    assert sum(done(result).matched for result in results) == 4
    assert (BankFile.objects.count(), BankEntry.objects.count()) == (1, 4)
    assert event_types().count("payout.paid") == 4


def test_different_files_about_the_same_payouts(sent):
    back = [
        entry(
            payout.amount,
            order_of(payout),
            direction="CRDT",
            returned="AC04",
            reference=f"R{number}",
        )
        for number, payout in enumerate(sent)
    ]
    files = [
        statement(*booked(sent)),
        statement(*booked(sent), message_id="M-2", number="2026-2"),
        notification(*reversed(back)),
        statement(*back, message_id="M-3", number="2026-3"),
    ]

    results = at_once([partial(read, content) for content in files])

    assert sum(done(result).unmatched for result in results) == 0
    assert not BankEntry.objects.unmatched().exists()
    assert set(Payout.objects.values_list("status", flat=True)) == {"returned"}
    assert event_types().count("payout.failed") == event_types().count("payout.paid") == 4
    assert held(sent[0].merchant, Purpose.MERCHANT, livemode=True) == 1250
    assert held(sent[0].merchant, Purpose.BANK, livemode=True) == 0
