"""A charge that the bank gives back: it is no return of a payout, and fills no wallet"""

import pytest

from core.clock import utc_now
from payouts.bank.booking_reconciliation import check_bookings
from payouts.bank.by_hand import match_by_hand
from payouts.models import BankEntry
from tests.ledger.funding import problems
from tests.payouts.bank_files import (
    entry,
    notification,
    order_of,
    read,
    statement,
    statuses_of,
    waiting_entries,
)

CODE = "<BkTxCd><Domn><Fmly><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>"
GIVEN_BACK = "The bank is refunding one of its own charges: set it aside."


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("form", [statement, notification])
def test_a_charge_that_the_bank_gives_back_is_no_return(sent_pair, form, named):
    payout = sent_pair[0]
    read(statement(entry(1250, order_of(payout))))
    name = f"<Refs><EndToEndId>{order_of(payout)}</EndToEndId></Refs>"
    words = f"<NtryDtls><TxDtls>{name}</TxDtls></NtryDtls>" if named else ""
    back = {"direction": "CRDT", "reversal": True, "reference": "C", "details": CODE + words}

    read(form(entry(50, **back), message_id="M-2", number="2"))

    assert waiting_entries() == [GIVEN_BACK]
    assert BankEntry.objects.unmatched().get().kind == "credit"
    assert statuses_of([payout]) == ["paid"]


def test_a_charge_given_back_may_be_matched_with_its_payout_and_takes_nothing(sent_pair):
    back = entry(50, direction="CRDT", reversal=True, reference="C", details=CODE)
    read(statement(entry(1250, order_of(sent_pair[0])), back))
    values = {"payout_id": sent_pair[0].pk, "actor": "staff:ann", "now": utc_now()}

    match_by_hand(
        entry_id=BankEntry.objects.unmatched().get().pk, merchant_bears_charge=True, **values
    )

    assert waiting_entries() == []
    assert statuses_of(sent_pair) == ["paid", "in_transit"]
    assert [*check_bookings(), *problems()] == []
