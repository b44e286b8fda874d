"""A payout that the bank has debited with its run, and once more by itself."""

from payouts.models import Payout
from tests.payouts.bank_files import (
    batch_details,
    entry,
    order_of,
    read,
    returned,
    statement,
    statuses_of,
    waiting_entries,
)


def test_what_comes_back_of_a_payout_debited_with_its_run_and_alone_waits(
    sent_pair: list[Payout],
) -> None:
    payout = sent_pair[0]
    order = order_of(payout)
    run = payout.batch
    assert run is not None
    read(statement(entry(run.total_amount, details=batch_details(run))))
    read(statement(entry(1250, order, reference="TRN 2"), message_id="M-2", number="2"))

    read(statement(returned(payout), message_id="M-3", number="3"))

    assert statuses_of(sent_pair) == ["paid", "paid"]
    assert ["debited this payout twice" in each for each in waiting_entries()] == [False, True]
