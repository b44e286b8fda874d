"""Which of the bank's names tell that two files speak of the same money"""

import pytest

from core.clock import utc_now
from core.money import decimal_text
from funding.bank_transfers import credit_by_hand
from payouts.bank.same_money import refuse_credited_elsewhere
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, Payout
from tests.funding.money_in import booked, customer_with, held, notified, ordered
from tests.payouts.bank_files import entry, order_of, read, statement, statuses_of, waiting_entries

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("debtor_account")]
UETR = "0b4e7c1e-5a1c-4e0a-9d5e-1f1a2b3c4d5e"
PHONES = ("+12424567890", "+12424567891")
UNSURE = "gives no reference of its own"
BEFORE = "Money with this reference has already come in."
VALUE = "<ValDt><Dt>2026-01-{}</Dt></ValDt><NtryDtls>"
EITHER = [(notified, booked), (booked, notified)]


@pytest.fixture
def top_ups(db):
    return [ordered(customer_with(0, phone, livemode=True)) for phone in PHONES]


def part(words, names="", amount=2_000):
    return (
        f'<TxDtls><Refs>{names}</Refs><Amt Ccy="BSD">{decimal_text(amount, "BSD")}</Amt>'
        f"<CdtDbtInd>CRDT</CdtDbtInd><RmtInf><Ustrd>{words}</Ustrd></RmtInf></TxDtls>"
    )


def together(*parts, amount=4_000, reference="E"):
    """One entry of several payments."""
    details = f"<NtryDtls>{''.join(parts)}</NtryDtls>"
    return entry(amount, direction="CRDT", reference=reference, details=details)


def money_of(top_ups):
    return [held(top_up.customer) for top_up in top_ups]


def names(number):
    return f"<AcctSvcrRef>P{number}</AcctSvcrRef>"


@pytest.mark.parametrize(("first", "second"), EITHER)
@pytest.mark.parametrize(
    "of",
    [names, lambda number: f"<UETR>{UETR}{number}</UETR>", lambda number: f"<TxId>{number}</TxId>"],
)
def test_equal_payments_of_one_entry_are_told_apart(top_ups, first, second, of):
    parts = [part(top_up.reference, of(number)) for number, top_up in enumerate(top_ups)]

    for form in (first, second):
        form(together(*parts))

    assert money_of(top_ups) == [2_000, 2_000]
    assert waiting_entries() == []


@pytest.mark.parametrize("of", [names, lambda _: ""])
def test_one_of_them_whose_text_was_lost_can_be_credited_by_hand(top_ups, of):
    one = part(top_ups[0].reference, of(0))
    lost = part("the text was lost", of(1))
    notified(together(one, lost))
    booked(together(one, lost))

    hand_to(top_ups[1], "the text was lost")

    assert money_of(top_ups) == [2_000, 2_000]


@pytest.mark.parametrize("of", [names, lambda _: ""])
def test_one_that_was_credited_already_cannot_be_credited_by_hand(top_ups, of):
    one, other = (part(top_up.reference, of(number)) for number, top_up in enumerate(top_ups))
    notified(together(one, other))
    booked(together(one, part("the text was lost", of(1))))

    with pytest.raises(BankEntryUnfit, match=f"went to {top_ups[1].pk}"):
        hand_to(ordered(top_ups[0].customer), "the text was lost")
    assert money_of(top_ups) == [2_000, 2_000]


def hand_to(top_up, message):
    credit_by_hand(
        entry_id=BankEntry.objects.unmatched().get(message=message, source="statement").pk,
        customer_id=top_up.customer_id,
        top_up_id=top_up.pk,
        actor="staff:ann",
        now=utc_now(),
    )


@pytest.mark.parametrize(("first", "second"), EITHER)
def test_the_entrys_name_tells_of_a_payment_whose_amount_no_other_has(top_ups, first, second):
    parts = [part(top_ups[0].reference), part(top_ups[1].reference, amount=2_500)]

    for form in (first, second):
        form(together(*parts, amount=4_500))

    assert money_of(top_ups) == [2_000, 2_500]
    assert waiting_entries() == []


@pytest.mark.parametrize(("first", "second"), EITHER)
def test_it_does_not_tell_which_of_two_equal_ones(top_ups, first, second):
    parts = [part(top_up.reference) for top_up in top_ups]

    for form in (first, second):
        form(together(*parts))

    assert money_of(top_ups) == [2_000, 2_000]
    assert all(UNSURE in problem for problem in waiting_entries())
    assert len(waiting_entries()) == 2


SHARED = {
    "the UETR": (f"<UETR>{UETR}</UETR>", f"<UETR>{UETR.upper()}</UETR>"),
    "the first bank's": ("<TxId>T</TxId>", "<TxId>T</TxId>"),
    "the UETR, where one has another reference": (
        f"<AcctSvcrRef>N</AcctSvcrRef><UETR>{UETR}</UETR>",
        f"<AcctSvcrRef>S</AcctSvcrRef><UETR>{UETR}</UETR>",
    ),
    "the entry's, beside one of the payment": ("<AcctSvcrRef>N</AcctSvcrRef>", ""),
}


@pytest.mark.parametrize(("first", "second"), EITHER)
@pytest.mark.parametrize("name", SHARED)
def test_any_name_that_both_share_tells(top_ups, first, second, name):
    by_entry = name.startswith("the entry's")
    for form, given in zip((first, second), SHARED[name], strict=True):
        reference = "E" if by_entry else f"{form.__name__} only"
        form(together(part(top_ups[0].reference, given), amount=2_000, reference=reference))

    assert held(top_ups[0].customer) == 2_000
    assert waiting_entries() == []


def test_other_names_are_other_money(top_ups):
    notified(together(part(top_ups[0].reference, names(1)), amount=2_000, reference="N"))
    booked(together(part(top_ups[0].reference, names(2)), amount=2_000, reference="S"))

    assert waiting_entries() == [BEFORE]


@pytest.mark.parametrize(("first", "second"), EITHER)
@pytest.mark.parametrize("given", ["", names(0), f"<UETR>{UETR}</UETR>"])
def test_what_an_earlier_release_has_stored_is_the_same_money(top_ups, first, second, given):
    """It kept one name: that of the payment, or of the entry, or of all banks."""
    row = together(part(top_ups[0].reference, given), part("?", amount=500), amount=2_500)
    first(row)
    stored = BankEntry.objects.filter(amount=2_000)
    kept = "P0" if given.startswith("<Acct") else "E"
    stored.update(bank_reference=kept, entry_reference="", uetr="", transaction_id="")

    second(row)

    assert held(top_ups[0].customer) == 2_000
    assert not BankEntry.objects.unmatched().filter(amount=2_000).exists()


def test_a_payout_shows_the_name_of_its_entry(sent_pair):
    refs = "".join(
        f"<TxDtls><Refs><EndToEndId>{order_of(it)}</EndToEndId></Refs>"
        f'<Amt Ccy="BSD">{decimal_text(it.amount, "BSD")}</Amt></TxDtls>'
        for it in sent_pair
    )

    read(statement(entry(2050, reference="RUN 7", details=f"<NtryDtls>{refs}</NtryDtls>")))

    assert statuses_of(sent_pair) == ["paid", "paid"]
    assert set(Payout.objects.values_list("bank_reference", flat=True)) == {"RUN 7"}


def test_a_uetr_tells_on_any_day(top_ups):
    """One file gives the day of booking, the other that of the value."""
    lost = part("the text was lost", f"<UETR>{UETR}</UETR>")
    told = part(top_ups[0].reference, f"<UETR>{UETR}</UETR>")
    notified(together(told, amount=2_000, reference="N").replace("<NtryDtls>", VALUE.format(19)))
    booked(together(lost, amount=2_000, reference="S").replace("<NtryDtls>", VALUE.format(20)))

    with pytest.raises(BankEntryUnfit, match="already reported this money"):
        hand_to(top_ups[1], "the text was lost")
    assert money_of(top_ups) == [2_000, 0]


@pytest.fixture
def told_twice(top_ups):
    """Money that went to the first top-up, and the same from another file, not yet saved so."""
    names = f"<UETR>{UETR}</UETR>"
    notified(together(part(top_ups[0].reference, names), amount=2_000, reference="N"))
    lost = together(part("the text was lost", names), amount=2_000, reference="S")
    booked(lost.replace("<NtryDtls>", VALUE.format(20)))
    return BankEntry.objects.get(source="notification"), BankEntry.objects.get(source="statement")


def test_money_that_went_elsewhere_goes_nowhere_else(top_ups, told_twice):
    earlier, entry = told_twice

    with pytest.raises(BankEntryUnfit, match=f"in {earlier.pk}: it went to {top_ups[0].pk}"):
        refuse_credited_elsewhere(entry, top_ups[1].pk)
    refuse_credited_elsewhere(entry, top_ups[1].pk, top_ups[0].pk)


OTHER = [{"amount": 1_999}, {"amount": 2_001}, {"currency": "USD"}, {"livemode": False}]


@pytest.mark.parametrize(
    "other", [*OTHER, {"uetr": "another"}, {"uetr": ""}], ids=lambda other: str(other)
)
def test_it_is_other_money_in_one_respect(told_twice, other):
    for name, value in other.items():
        setattr(told_twice[1], name, value)

    refuse_credited_elsewhere(told_twice[1], "top_other")


@pytest.mark.parametrize(
    "other", [*OTHER, {"kind": "debit"}, {"kind": "settled"}], ids=lambda other: str(other)
)
def test_it_is_other_money_if_the_earlier_was_another(told_twice, other):
    BankEntry.objects.filter(pk=told_twice[0].pk).update(**other)

    refuse_credited_elsewhere(told_twice[1], "top_other")


def test_what_waits_or_stands_in_the_same_file_went_nowhere(told_twice):
    earlier, entry = told_twice
    row = BankEntry.objects.filter(pk=earlier.pk)
    row.update(file=entry.file_id)
    refuse_credited_elsewhere(entry, "top_other")

    row.update(file=earlier.file_id, state="unmatched", resolved_at=None)
    refuse_credited_elsewhere(entry, "top_other")


@pytest.mark.parametrize(
    ("day", "uetr", "is_same"),
    [
        ("2026-01-20", "", True),
        (None, "", True),
        ("2026-01-19", "", False),
        ("2026-01-21", "", False),
        ("2026-01-19", UETR, True),
    ],
)
def test_another_reference_tells_on_its_day_alone(told_twice, day, uetr, is_same):
    earlier, entry = told_twice
    entry.uetr, entry.transaction_id = uetr, "T"
    BankEntry.objects.filter(pk=earlier.pk).update(booking_date=day, transaction_id="T")

    if is_same:
        with pytest.raises(BankEntryUnfit, match="already reported this money"):
            refuse_credited_elsewhere(entry, "top_other")
    else:
        refuse_credited_elsewhere(entry, "top_other")
