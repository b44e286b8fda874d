"""A bank's reference that comes again: with other contents it is other money, and never lost"""

import hashlib

import pytest

from core.clock import utc_now
from core.json import dump_json
from funding.bank_transfers import credit_by_hand, refuse_no_credit
from funding.reversal import reverse_top_up
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry
from tests.funding.money_in import booked, customer_with, held, notified, ordered, transfer
from tests.payouts.bank_files import waiting_entries

pytestmark = pytest.mark.django_db
PHONES = ("+12424567890", "+12424567891")


@pytest.fixture
def top_ups():
    return [ordered(customer_with(0, phone, livemode=True)) for phone in PHONES]


def money_of(top_ups):
    return [held(top_up.customer) for top_up in top_ups]


def on(day, row):
    if not day:
        return row
    return row.replace("<AcctSvcrRef>", f"<BookgDt><Dt>{day}</Dt></BookgDt><AcctSvcrRef>")


def test_in_the_statements_of_two_days_both_are_credited(top_ups):
    for day, top_up in enumerate(top_ups, 1):
        row = on(f"2026-01-0{day}", transfer(2_000, top_up.reference, "0001"))
        booked(row, message_id=f"M-{day}", number=f"{day}")

    assert money_of(top_ups) == [2_000, 2_000]


@pytest.mark.parametrize("reference", ["0001", ""])
def test_within_one_file_both_are_credited(top_ups, reference):
    booked(*(transfer(2_000, top_up.reference, reference) for top_up in top_ups))

    assert money_of(top_ups) == [2_000, 2_000]


def test_a_notification_whose_id_starts_anew_is_not_hidden(top_ups):
    for number, top_up in enumerate(top_ups):
        notified(transfer(2_000, top_up.reference, ""), message_id=f"N-{number}")

    assert money_of(top_ups) == [2_000, 2_000]


def test_the_same_day_and_money_with_another_text_waits(top_ups):
    for number, top_up in enumerate(top_ups):
        row = on("2026-01-01", transfer(2_000, top_up.reference, "0001"))
        booked(row, message_id=f"M-{number}", number=f"{number}")

    assert money_of(top_ups) == [2_000, 0]
    assert "already reported this money" in BankEntry.objects.unmatched().get().problem


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("first", [notified, booked])
def test_the_same_sum_on_another_day_is_other_money(top_ups, first, is_reversed):
    top_up, second = top_ups[0], notified if first is booked else booked
    first(on("2026-01-17", transfer(2_000, top_up.reference, "A")))
    if is_reversed:
        reverse_top_up(
            top_up_id=top_up.pk, amount=2_000, cause="returned", actor="staff:ann", now=utc_now()
        )

    second(on("2026-01-20", transfer(2_000, top_up.reference, "B")))

    assert waiting_entries() == ["Money with this reference has already come in."]
    assert held(top_up.customer) == (0 if is_reversed else 2_000)


def test_the_second_is_credited_by_hand(top_ups):
    top_up = top_ups[0]
    notified(on("2026-01-17", transfer(2_000, top_up.reference, "A")))
    booked(on("2026-01-20", transfer(2_000, top_up.reference, "B")))

    credit_by_hand(
        entry_id=BankEntry.objects.unmatched().get().pk,
        customer_id=top_up.customer_id,
        actor="staff:ann",
        now=utc_now(),
    )
    booked(
        on("2026-01-17", transfer(2_000, top_up.reference, "A")), message_id="M-2", number="2026-2"
    )

    assert held(top_up.customer) == 4_000
    assert waiting_entries() == []


@pytest.mark.parametrize(
    ("reference", "problems"), [("A", []), ("", ["gives no reference of its own"])]
)
def test_what_was_credited_by_hand_is_not_credited_again(top_ups, reference, problems):
    top_up = top_ups[0]
    booked(transfer(2_000, "the text was lost", reference))
    credit_by_hand(
        entry_id=BankEntry.objects.get().pk,
        customer_id=top_up.customer_id,
        actor="staff:ann",
        now=utc_now(),
    )

    notified(transfer(2_000, top_up.reference, reference))

    assert held(top_up.customer) == 2_000
    for found, words in zip(waiting_entries(), problems, strict=True):
        assert words in found


DAY = "2026-01-17"
SAME = {
    "of the account": ("A", ""),
    "of the payment": ("", "<AcctSvcrRef>P</AcctSvcrRef>"),
    "of all banks": ("", "<UETR>0b4e7c1e-5a1c-4e0a-9d5e-1f1a2b3c4d5e</UETR>"),
    "of the first bank": ("NONREF", "<TxId>T</TxId>"),
}


@pytest.mark.parametrize("days", [(DAY, ""), ("", DAY), ("", "")])
def test_where_only_one_file_names_the_day_the_same_name_is_the_same_money(days):
    one = SAME["of the account"]

    assert told_by(notified, booked, reference="", one=one, other=one, days=days) == 2_000
    assert waiting_entries() == []


def told_by(first, second, *, reference, one, other, days=(DAY, DAY), amounts=(2_000, 2_000)):
    """Let two files tell of a sum of one customer on one day, each with a name of the bank."""
    top_up = ordered(customer_with(0, PHONES[0], livemode=True))
    told = zip((first, second), (one, other), days, amounts, strict=True)
    for form, (name, refs), day, amount in told:
        row = transfer(amount, top_up.reference, name or reference)
        form(on(day, row.replace("<Refs>", f"<Refs>{refs}")))
    return held(top_up.customer)


@pytest.mark.parametrize("forms", [(notified, booked), (booked, notified)])
@pytest.mark.parametrize("name", SAME)
def test_the_same_name_of_the_bank_is_the_same_money(forms, name):
    assert told_by(*forms, reference="NOTPROVIDED", one=SAME[name], other=SAME[name]) == 2_000
    assert waiting_entries() == []


@pytest.mark.parametrize("days", [(DAY, "2026-01-18"), ("2026-01-16", DAY)])
@pytest.mark.parametrize("name", SAME)
def test_of_two_days_only_the_name_that_is_given_once_is_of_the_same_money(name, days):
    one = SAME[name]
    names = {"reference": "NOTPROVIDED", "one": one, "other": one, "days": days}

    assert told_by(notified, booked, **names) == 2_000
    again = ["Money with this reference has already come in."]
    assert waiting_entries() == ([] if name == "of all banks" else again)


def test_the_same_name_of_another_amount_waits():
    one = SAME["of the account"]
    names = {"reference": "", "one": one, "other": one, "amounts": (2_000, 1_999)}

    assert told_by(notified, booked, **names) == 2_000
    assert waiting_entries() == ["A different amount has already come in with this reference."]


@pytest.mark.parametrize("forms", [(notified, booked), (booked, notified)])
@pytest.mark.parametrize("name", SAME)
def test_another_name_of_the_bank_is_other_money(forms, name):
    other = tuple(text.replace(">", ">2", 1) for text in SAME[name])
    other = ("B", "") if other == SAME[name] else other

    assert told_by(*forms, reference="NOTPROVIDED", one=SAME[name], other=other) == 2_000
    assert waiting_entries() == ["Money with this reference has already come in."]


@pytest.mark.parametrize("forms", [(notified, booked), (booked, notified)])
@pytest.mark.parametrize("name", ["", "NONREF"])
def test_without_a_name_of_the_bank_it_may_be_a_second_one(forms, name):
    assert told_by(*forms, reference=name, one=("", ""), other=("", "")) == 2_000
    [problem] = waiting_entries()
    assert "gives no reference of its own" in problem


def test_a_second_notification_under_the_same_number_is_not_lost(top_ups):
    for minute in ("22:00", "22:05"):
        row = on(DAY, transfer(2_000, top_ups[0].reference, ""))
        notified(row, message_id=minute, written=f"2026-01-17T{minute}:00")

    assert waiting_entries() == ["Money with this reference has already come in."]


def test_two_in_the_same_words_are_both_stored(top_ups):
    booked(*[transfer(2_000, "the same", "0001")] * 2)

    assert BankEntry.objects.count() == 2


def test_what_an_earlier_release_stored_is_known(top_ups):
    booked(transfer(2_000, top_ups[0].reference, "0001"))
    former = dump_json(["0001", "credit", "", "2000", "BSD"])
    BankEntry.objects.update(key=hashlib.sha256(former).hexdigest())

    same = transfer(2_000, top_ups[0].reference, "0001")
    done = booked(same, message_id="M-2", number="2")
    booked(transfer(2_000, top_ups[1].reference, "0001"), message_id="M-3", number="3")

    assert done.stored.known == 1
    assert BankEntry.objects.count() == 2


def test_what_a_notification_credited_is_not_credited_by_hand_again(top_ups):
    top_up = top_ups[0]
    notified(transfer(2_000, top_up.reference))
    booked(transfer(2_000, "the text was lost"))

    with pytest.raises(BankEntryUnfit, match=f"went to {top_up.pk}"):
        credit_by_hand(
            entry_id=BankEntry.objects.unmatched().get().pk,
            customer_id=top_ups[0].customer_id,
            actor="staff:ann",
            now=utc_now(),
        )
    assert held(top_up.customer) == 2_000


def test_as_much_as_a_top_up_can_be_is_credited_by_hand(top_ups):
    booked(transfer(99_999_999_999, "no reference"))

    refuse_no_credit(BankEntry.objects.get())


def test_more_than_a_top_up_can_be_is_not_credited_by_hand(top_ups):
    booked(transfer(100_000_000_000, "no reference"))

    with pytest.raises(BankEntryUnfit, match="more than a top-up can be"):
        credit_by_hand(
            entry_id=BankEntry.objects.get().pk,
            customer_id=top_ups[0].customer_id,
            actor="staff:ann",
            now=utc_now(),
        )
