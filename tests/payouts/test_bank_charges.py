"""What the bank has charged within a debit: the transfer is the payout's, the charge the bank's"""

import pytest

from core.clock import utc_now
from payouts.bank.booking_reconciliation import check_bookings
from payouts.bank.by_hand import match_batch_by_hand, match_by_hand
from payouts.bank.position import positions
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, Payout
from tests.ledger.funding import problems
from tests.payouts.bank_files import (
    batch_details,
    entry,
    notification,
    order_of,
    read,
    statement,
    statuses_of,
    waiting_entries,
)

STAFF = "staff:ann"


def money(tag, amount, around="{}"):
    return around.format(f'<{tag} Ccy="BSD">{amount}</{tag}>')


def charge(amount="0.50", included="", direction="DBIT"):
    flag = f"<ChrgInclInd>{included}</ChrgInclInd>" if included else ""
    row = f"{money('Amt', amount)}<CdtDbtInd>{direction}</CdtDbtInd>{flag}"
    return f"<Chrgs><Rcrd>{row}</Rcrd></Chrgs>"


FORMER = f"<Chrgs>{money('Amt', '0.50')}<CdtDbtInd>DBIT</CdtDbtInd></Chrgs>"
WITH_TAX = f"<Chrgs>{money('TtlChrgsAndTaxAmt', '0.50')}<Rcrd>{money('Amt', '0.45')}</Rcrd></Chrgs>"
TX_AMT = "<AmtDtls><TxAmt>{}</TxAmt></AmtDtls>"
INSTD_AMT = "<AmtDtls><InstdAmt>{}</InstdAmt></AmtDtls>"


def paid_with(payout, *words):
    """A payment of a payout, as a part of an entry."""
    name = f"<Refs><EndToEndId>{order_of(payout)}</EndToEndId></Refs>"
    return f"<TxDtls>{name}{''.join(words)}</TxDtls>"


def within(*parts):
    return f"<NtryDtls>{''.join(parts)}</NtryDtls>"


def is_proven(payouts):
    assert waiting_entries() == []
    assert statuses_of(payouts) == ["paid"] * len(payouts)
    assert not Payout.objects.filter(booked_at=None).filter(status="paid").exists()
    assert positions(livemode=True)[0].difference == 0
    assert [*check_bookings(), *problems()] == []


@pytest.mark.parametrize(
    "words",
    [
        (money("Amt", "12.50"), charge()),
        (money("Amt", "12.50", TX_AMT), charge()),
        (money("Amt", "12.50", INSTD_AMT), charge()),
        (money("Amt", "12.50", TX_AMT), FORMER),
        (money("Amt", "12.50"), WITH_TAX),
        (money("Amt", "13.00"), money("Amt", "12.50", TX_AMT), charge()),
        (money("Amt", "13.00"), charge(included="true")),
        (charge(included="true"),),
    ],
)
def test_the_transfer_is_booked_and_the_charge_beside_it(sent_pair, words):
    details = within(paid_with(sent_pair[0], *words))

    read(statement(entry(1300, details=details), opening=5000, closing=3700))

    is_proven(sent_pair[:1])
    booked = BankEntry.objects.get()
    assert (booked.amount, booked.charge_amount) == (1300, 50)


def test_a_charge_that_stands_with_the_entry(sent_pair):
    details = within(paid_with(sent_pair[0], money("Amt", "12.50"))) + charge()

    read(statement(entry(1300, details=details)))

    is_proven(sent_pair[:1])


def test_each_payment_of_a_run_with_its_charge(sent_pair):
    parts = [
        paid_with(payout, money("Amt", amount), charge())
        for payout, amount in zip(sent_pair, ("12.50", "8.00"), strict=True)
    ]

    read(statement(entry(2150, details=within(*parts))))

    is_proven(sent_pair)


@pytest.mark.parametrize(
    "details",
    [
        lambda pair: charge() + within(f"<Btch>{money('TtlAmt', '20.50')}</Btch>"),
        lambda pair: charge(included="true"),
        lambda pair: (
            charge()
            + within(*(paid_with(it, money("Amt", f"{it.amount / 100:.2f}")) for it in pair))
        ),
    ],
)
def test_a_run_with_one_charge(sent_pair, details):
    name = f"<NtryDtls><Btch><PmtInfId>{sent_pair[0].batch.message_id}</PmtInfId></Btch></NtryDtls>"

    read(statement(entry(2100, details=name + details(sent_pair))))

    is_proven(sent_pair)


@pytest.mark.parametrize(
    "words",
    [
        (money("Amt", "12.50"), charge("0.49")),
        (money("Amt", "12.50"), charge(included="false")),
        (money("Amt", "12.50"), charge(direction="CRDT")),
        (charge(),),
    ],
)
def test_what_does_not_add_up_waits(sent_pair, words):
    read(statement(entry(1300, details=within(paid_with(sent_pair[0], *words)))))

    assert "BSD 0.50 more than the payout, as if the bank had charged" in waiting_entries()[0]
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]


def test_a_charge_that_is_named_and_not_in_the_amount(sent_pair):
    words = (money("Amt", "12.50"), charge(included="true"))

    read(statement(entry(1250, details=within(paid_with(sent_pair[0], *words)))))

    is_proven(sent_pair[:1])


@pytest.mark.parametrize("form", [statement, notification])
def test_a_charge_that_is_booked_by_itself_is_of_its_payout(sent_pair, form):
    code = "<BkTxCd><Domn><Fmly><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>"
    read(statement(), livemode=True)

    alone = entry(50, reference="C", details=code + within(paid_with(sent_pair[0])))
    read(form(entry(1250, order_of(sent_pair[0])), alone, message_id="M-2", number="2"))

    assert waiting_entries() == []
    assert statuses_of(sent_pair) == ["paid", "in_transit"]
    assert [*check_bookings(), *problems()] == []


def test_a_charge_that_is_as_much_as_the_payout_waits(sent_pair):
    code = "<BkTxCd><Domn><Fmly><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>"

    read(statement(entry(1300, details=code + within(paid_with(sent_pair[0])))))

    assert waiting_entries() == [
        "The bank calls it a charge, and it is as much as what was ordered."
    ]
    assert positions(livemode=True)[0].difference == -1300


def test_a_charge_of_no_payout_waits(sent_pair):
    code = "<BkTxCd><Domn><Fmly><SubFmlyCd>FEES</SubFmlyCd></Fmly></Domn></BkTxCd>"

    read(statement(entry(50, details=code)))

    assert len(waiting_entries()) == 1
    assert positions(livemode=True)[0].difference == -50


def waiting_id():
    return BankEntry.objects.unmatched().get().pk


def test_a_charge_that_the_bank_does_not_name_is_seen_by_a_person(sent_pair):
    read(statement(entry(1300, order_of(sent_pair[0]))))
    values = {"payout_id": sent_pair[0].pk, "actor": STAFF, "now": utc_now()}
    with pytest.raises(BankEntryUnfit, match="we bear the charge"):
        match_by_hand(entry_id=waiting_id(), merchant_bears_charge=True, **values)

    match_by_hand(entry_id=waiting_id(), merchant_bears_charge=False, **values)

    is_proven(sent_pair[:1])


def test_a_run_and_a_charge_that_the_bank_does_not_name(sent_pair):
    batch = sent_pair[0].batch
    read(statement(entry(2100, details=batch_details(batch))))
    values = {"batch_id": batch.pk, "actor": STAFF, "now": utc_now()}
    with pytest.raises(BankEntryUnfit, match=r"0\.50 more than the payouts"):
        match_batch_by_hand(entry_id=waiting_id(), **values)

    match_batch_by_hand(entry_id=waiting_id(), bears_charge=True, **values)

    is_proven(sent_pair)
