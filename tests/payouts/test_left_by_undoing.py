"""What an undone match leaves: all that other entries of the bank prove, and nothing else"""

from typing import Any

import pytest

from core.clock import utc_now
from payouts.bank.by_hand import match_by_hand, undo_match
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, Payout
from tests.ledger.funding import problems
from tests.payouts.bank_files import (
    batch_details,
    entry,
    notification,
    order_of,
    read,
    returned,
    statement,
    status_report,
)

STAFF: dict[str, Any] = {"actor": "staff:ann"}
RENT = entry(1250, reference="RENT")


def matched_wrongly(told: BankEntry, payout: Payout) -> BankEntry:
    return match_by_hand(entry_id=told.pk, payout_id=payout.pk, now=utc_now(), **STAFF)


def undone(told: BankEntry) -> Payout:
    """Undo a match with one payout, which is returned as it is then."""
    known = Payout.objects.get(bank_entries=told)
    undo_match(entry_id=told.pk, matched_with=known.pk, cause="The rent", now=utc_now(), **STAFF)
    assert problems() == []
    return Payout.objects.get(pk=known.pk)


def rent() -> BankEntry:
    return BankEntry.objects.get(bank_reference="RENT")


def parts(*names: str) -> str:
    """Return the details of an entry of two payments, which have no references of their own."""
    rows = "".join(
        f"<TxDtls><Refs><EndToEndId>{name or 'NOTPROVIDED'}</EndToEndId></Refs>"
        f'<Amt Ccy="BSD">{amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd></TxDtls>'
        for name, amount in zip(names, ("12.50", "8.00"), strict=True)
    )
    return f"<NtryDtls>{rows}</NtryDtls>"


def test_a_notification_of_its_own_leaves_its_reference_and_books_nothing(sent_pair) -> None:
    payout = sent_pair[0]
    read(notification(entry(1250, order_of(payout), reference="OWN")))
    read(statement(RENT, message_id="M-2"))
    matched_wrongly(rent(), payout)

    left = undone(rent())

    assert (left.status, left.bank_reference, left.booked_at) == ("paid", "OWN", None)


def test_payments_of_one_entry_have_its_reference(sent_pair) -> None:
    payout, other = sent_pair
    read(notification(entry(2050, reference="RENT", details=parts("", ""))))
    told = BankEntry.objects.get(amount=1250)
    matched_wrongly(told, payout)
    own = entry(2050, reference="OWN", details=parts(order_of(payout), order_of(other)))
    read(statement(own, message_id="M-2"))

    left = undone(told)
    assert (left.bank_reference, left.booked_at is None) == ("OWN", False)


@pytest.mark.parametrize("is_undone_first", [True, False])
def test_a_return_of_it_does_not_book_that_it_left(sent_pair, is_undone_first) -> None:
    payout = sent_pair[0]
    read(statement(RENT))
    matched_wrongly(rent(), payout)
    if is_undone_first:
        undone(rent())
    read(statement(returned(payout), message_id="M-2", number="2026-2"))
    if not is_undone_first:
        undone(rent())

    payout.refresh_from_db()
    assert (payout.status, payout.booked_at, payout.bank_reference) == ("returned", None, "")
    assert payout.return_booked_at is not None


def test_a_run_that_was_booked_whole_still_books_what_was_refused(sent_pair) -> None:
    refused, batch = sent_pair[0], sent_pair[0].batch
    read(status_report(batch, (order_of(refused), "RJCT")))
    whole = entry(2050, reference="RUN", details=batch_details(batch))
    read(statement(whole, returned(refused)))
    read(statement(message_id="M-2", number="2026-2"))  # the run is looked at once more
    read(notification(RENT, message_id="M-3"))
    matched_wrongly(rent(), refused)

    left = undone(rent())

    assert (left.status, left.booked_at is None, left.bank_reference) == ("failed", False, "RUN")


def test_what_names_the_run_is_not_undone(sent_pair) -> None:
    batch = sent_pair[0].batch
    read(statement(entry(2050, reference="RUN", details=batch_details(batch))))
    told = BankEntry.objects.get()
    assert told.batch == batch

    with pytest.raises(BankEntryUnfit, match="a person"):
        undo_match(entry_id=told.pk, matched_with=batch.pk, cause="No", now=utc_now(), **STAFF)


@pytest.mark.parametrize(("status", "became"), [("ACSC", "paid"), ("ACSP", "in_transit")])
def test_a_report_without_a_name_was_of_another_order(sent_pair, status: str, became: str) -> None:
    payout = sent_pair[0]
    read(status_report(payout.batch, ("NOTPROVIDED", status)))
    told = BankEntry.objects.get()
    matched_wrongly(told, payout)

    left = undone(told)

    told.refresh_from_db()
    assert (left.status, left.booked_at, told.is_waiting) == (became, None, True)
