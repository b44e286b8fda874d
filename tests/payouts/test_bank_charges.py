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
    status_report,
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
IN_PART = "".join(
    f'<Rcrd><Amt Ccy="{currency}">0.20</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd>'
    for currency in ("BSD", "USD")
)
IN_TWO = f"<Chrgs>{money('TtlChrgsAndTaxAmt', '0.50')}{IN_PART}</Chrgs>"
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
        (money("Amt", "12.50"), IN_TWO),
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

    assert waiting_entries() == ["The bank calls it a charge, but it is as much as the order."]
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
        match_by_hand(entry_id=waiting_id(), charge_amount=50, merchant_bears_charge=True, **values)

    match_by_hand(entry_id=waiting_id(), charge_amount=50, **values)

    is_proven(sent_pair[:1])


def test_a_run_and_a_charge_that_the_bank_does_not_name(sent_pair):
    batch = sent_pair[0].batch
    read(statement(entry(2100, details=batch_details(batch))))
    values = {"batch_id": batch.pk, "actor": STAFF, "now": utc_now()}
    with pytest.raises(BankEntryUnfit, match=r"0\.50 more than the payouts"):
        match_batch_by_hand(entry_id=waiting_id(), **values)

    with pytest.raises(BankEntryUnfit, match="not the one that was approved"):
        match_batch_by_hand(entry_id=waiting_id(), charge_amount=51, **values)

    match_batch_by_hand(entry_id=waiting_id(), charge_amount=50, **values)

    is_proven(sent_pair)


@pytest.mark.parametrize(
    ("debit", "statuses", "note", "difference"),
    [
        (2100, ["paid", "failed"], "With a charge of the bank: BSD 0.50.", -800),
        (1300, ["paid", "failed"], "With a charge of the bank: BSD 0.50.", 0),
    ],
)
def test_a_refused_order_of_a_run_is_no_charge(sent_pair, debit, statuses, note, difference):
    batch = sent_pair[0].batch
    read(status_report(batch, (order_of(sent_pair[1]), "RJCT"), group="PART"))
    read(statement(entry(debit, details=batch_details(batch))))
    values = {"batch_id": batch.pk, "actor": STAFF, "now": utc_now()}

    match_batch_by_hand(entry_id=waiting_id(), charge_amount=50, **values)

    assert statuses_of(sent_pair) == statuses
    assert BankEntry.objects.get(kind="debit").note == note
    assert positions(livemode=True)[0].difference == difference


@pytest.mark.parametrize("debit", [2850, 2049])
def test_a_charge_as_large_as_what_was_refused_is_none(sent_pair, debit):
    batch = sent_pair[0].batch
    smallest = sent_pair[1] if debit > 2050 else sent_pair[0]
    read(status_report(batch, (order_of(smallest), "RJCT"), group="PART"))
    read(statement(entry(debit, details=batch_details(batch))))
    values = {"batch_id": batch.pk, "actor": STAFF, "now": utc_now()}

    if debit > 2050:
        with pytest.raises(BankEntryUnfit, match="as much as an order that was refused"):
            match_batch_by_hand(entry_id=waiting_id(), charge_amount=800, **values)
    else:
        match_batch_by_hand(entry_id=waiting_id(), charge_amount=1249, **values)
        assert BankEntry.objects.get(kind="debit").note.endswith("BSD 12.49.")


@pytest.mark.parametrize("status", ["ACSC", "RJCT"])
def test_a_status_report_has_no_charge(sent_pair, status):
    read(status_report(sent_pair[0].batch, (order_of(sent_pair[0]), status, "13.00")))
    values = {"payout_id": sent_pair[0].pk, "actor": STAFF, "now": utc_now()}

    assert waiting_entries() == ["The amount or the currency is not that of the order."]
    with pytest.raises(BankEntryUnfit, match="not that of the order"):
        match_by_hand(entry_id=waiting_id(), **values)
    with pytest.raises(BankEntryUnfit, match="not the one that was approved"):
        match_by_hand(entry_id=waiting_id(), charge_amount=50, **values)
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]


def test_what_the_bank_gives_back_beside_a_transfer_is_no_charge(sent_pair):
    given = money("Amt", "0.50")
    back = f"<Chrgs><Rcrd>{given}<CdtDbtInd>CRDT</CdtDbtInd></Rcrd></Chrgs>"
    parts = (
        paid_with(sent_pair[0], money("Amt", "12.50"), back),
        paid_with(sent_pair[1], money("Amt", "8.00")),
    )

    read(statement(entry(2000, details=within(*parts))))

    assert not BankEntry.objects.filter(charge_amount__lt=0).exists()
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]


@pytest.mark.parametrize("note", ["Asked the bank.", "With a charge of the bank: BSD 0.51."])
def test_a_note_explains_the_charge_that_it_names_and_no_other(sent_pair, note):
    read(statement(entry(1300, order_of(sent_pair[0]))))
    values = {"payout_id": sent_pair[0].pk, "actor": STAFF, "now": utc_now()}
    match_by_hand(entry_id=waiting_id(), charge_amount=50, **values)
    assert list(check_bookings()) == []

    BankEntry.objects.update(note=note)

    [problem] = check_bookings()
    assert problem.endswith(f"is not of the money of payout {sent_pair[0].pk}.")
