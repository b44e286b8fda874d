"""A statement that says what another has said, word for word: the same entry, or a second one"""

from collections import defaultdict

import pytest

from core.clock import utc_now
from payouts.bank import recognition
from payouts.bank.position import positions
from payouts.errors import BankFileUnfit
from payouts.models import BankEntry, BankStatement
from tests.funding.money_in import LIVE, customer_with, held, ordered, transfer
from tests.ledger.thief import change
from tests.payouts.bank_files import entry, order_of, read, statement, statuses_of, waiting_entries

FEE = entry(700, reference="0001").replace(
    "<AcctSvcrRef>", "<BookgDt><Dt>2026-03-10</Dt></BookgDt><AcctSvcrRef>"
)
MORNING = {"start": "2026-01-19T00:00:00Z", "end": "2026-01-19T12:00:00Z"}
EVENING = {"start": "2026-01-19T12:00:00Z", "end": "2026-01-20T00:00:00Z"}
DAY = {"start": "2026-01-19T00:00:00Z", "end": "2026-01-20T00:00:00Z"}


def day(number, *entries, **options):
    return statement(*entries, message_id=f"M-{number}", number=f"{number}", **options)


def test_of_another_time_it_is_a_second_entry_which_waits(sent_pair):
    read(day(1, FEE, opening=5000, closing=4300, **MORNING))

    done = read(day(2, FEE, opening=4300, closing=3600, **EVENING))

    assert (done.stored.known, done.unmatched) == (0, 1)
    numbers = BankEntry.objects.order_by("pk").values_list("statement__number", flat=True)
    assert list(numbers) == ["1", "2"]
    assert len(waiting_entries()) == 2
    assert positions(livemode=True)[0].difference == -1400


def test_a_second_booking_of_a_payout_is_seen_by_a_person(sent_pair):
    booked = entry(1250, order_of(sent_pair[0]))
    read(day(1, booked, **MORNING))

    read(day(2, booked, **EVENING))

    assert statuses_of(sent_pair) == ["paid", "in_transit"]
    [problem] = waiting_entries()
    assert problem.startswith("The bank has already reported this about the payout. If a person")


@pytest.mark.parametrize("later", [DAY, MORNING, {**MORNING, "end": "2026-01-19T18:00:00Z"}])
def test_of_the_same_time_it_is_the_same_entry(sent_pair, later):
    read(day(1, FEE, **MORNING))

    done = read(day(2, FEE, **later))

    assert (done.stored.known, BankEntry.objects.count()) == (1, 1)


def test_each_is_known_again_from_a_statement_of_all_that_time(sent_pair):
    read(day(1, FEE, **MORNING))
    read(day(2, FEE, **EVENING))

    whole = read(day(3, FEE, FEE, **DAY))
    again = read(day(4, FEE, **EVENING))

    assert (whole.stored.known, again.stored.known) == (2, 1)
    assert BankEntry.objects.count() == 2


ANOTHER = [
    ("0001", "0002"),
    ("2026-03-10", "2026-03-11"),
    ("<BookgDt><Dt>2026-03-10</Dt></BookgDt>", ""),
    ("7.00", "7.01"),
    ("DBIT", "CRDT"),
    ("NOTPROVIDED", "E-1"),
    ("</Refs>", "</Refs><AddtlTxInf>Fee</AddtlTxInf>"),
]


@pytest.mark.parametrize(("words", "others"), ANOTHER)
def test_what_differs_in_one_respect_is_another_entry(sent_pair, words, others):
    """Some banks give the same references again each day."""
    read(day(1, FEE, **MORNING))

    done = read(day(2, FEE.replace(words, others), **DAY))

    assert (done.stored.known, BankEntry.objects.count()) == (0, 2)


@pytest.mark.parametrize(
    ("words", "others"),
    [
        ("BookgDt", "ValDt"),
        ("<Dt>2026-03-10</Dt>", "<DtTm>2026-03-10T09:30:00</DtTm>"),
        ("</BookgDt>", "</BookgDt><ValDt><Dt>2026-03-11</Dt></ValDt>"),
        ("7.00", "7"),
    ],
)
def test_the_same_in_other_words_is_the_same_entry(sent_pair, words, others):
    read(day(1, FEE, **MORNING))

    done = read(day(2, FEE.replace(words, others), **DAY))

    assert (done.stored.known, BankEntry.objects.count()) == (1, 1)


def test_what_a_longer_statement_says_more_often_is_new(sent_pair):
    read(day(1, FEE, **MORNING))

    done = read(day(2, FEE, FEE, FEE, **DAY))

    assert (done.stored.known, BankEntry.objects.count()) == (1, 3)
    assert read(day(3, FEE, FEE, FEE, **DAY)).stored.known == 3


def test_statements_of_one_file_are_told_apart_as_those_of_two(sent_pair):
    both = day(1, FEE, **MORNING).replace("</Stmt>", f"</Stmt>{inner(day(2, FEE, **EVENING))}")
    read(both)

    alone = read(statement(FEE, message_id="M-9", number="2", **EVENING))

    assert (alone.stored.known, BankEntry.objects.count()) == (1, 2)


def inner(content):
    return content[content.index("<Stmt>") : content.index("</BkToCstmrStmt>")]


@pytest.mark.parametrize("pages", [("1", "2"), ("2", "1"), ("2", "3")])
def test_pages_of_one_statement_say_nothing_twice(sent_pair, pages):
    for page in pages:
        content = statement(FEE, message_id=f"M-{page}", **DAY)
        number = f"<StmtPgntn><PgNb>{page}</PgNb></StmtPgntn>"
        read(content.replace("<CreDtTm>", f"{number}<CreDtTm>"))

    assert BankEntry.objects.count() == 2


def test_an_amended_statement_knows_its_own(sent_pair):
    read(day(1, FEE, **MORNING))
    read(day(2, FEE, opening=5000, **EVENING))

    later = {"message_id": "M-3", "written": "2026-01-21T08:00:00"}
    amended = statement(FEE, FEE, opening=5000, number="2", **EVENING, **later)
    assert read(amended).stored.known == 1

    assert BankEntry.objects.count() == 3
    assert BankStatement.objects.current().count() == 2


@pytest.mark.parametrize(("number", "count"), [("1", 1), ("2", 2)])
def test_without_a_period_the_number_tells(sent_pair, number, count):
    for written, name in (("2026-01-19T20:00:00", "1"), ("2026-01-20T20:00:00", number)):
        content = statement(FEE, message_id=written, number=name, written=written)
        start, end = content.index("<FrToDt>"), content.index("<Acct>")
        read(content[:start] + content[end:])

    assert BankEntry.objects.count() == count


@pytest.mark.parametrize(("later", "count"), [(DAY, 1), (EVENING, 2)])
def test_what_an_earlier_release_has_stored_is_recognized(sent_pair, later, count):
    read(day(1, FEE, **MORNING))
    former = recognition.entry_key(("0001", "debit", "", "700", "BSD"))
    BankEntry.objects.update(key=former)

    read(day(2, FEE, **later))

    assert BankEntry.objects.count() == count


def test_of_two_files_at_once_one_is_read_again(sent_pair, monkeypatch):
    """The other has brought the entry after this one has looked for it."""
    read(day(1, FEE, **MORNING))
    monkeypatch.setattr(recognition, "_stored", lambda file, wanted: defaultdict(list))

    with pytest.raises(BankFileUnfit, match="another file has just brought"):
        read(day(2, FEE, **EVENING))

    monkeypatch.undo()
    read(day(2, FEE, **EVENING))
    assert BankEntry.objects.count() == 2


def test_a_name_given_again_in_the_evening_is_of_other_money(sent_pair):
    customers = [customer_with(0, phone, livemode=True) for phone in (LIVE, "+12424567891")]
    words = [ordered(customer, 2_000).reference for customer in customers]
    day_of_both = "<BookgDt><Dt>2026-01-19</Dt></BookgDt><AcctSvcrRef>"
    rows = [
        transfer(2_000, each, reference="0001").replace("<AcctSvcrRef>", day_of_both)
        for each in words
    ]

    read(day(1, rows[0], **MORNING))
    read(day(2, rows[1], **EVENING))

    assert [held(customer) for customer in customers] == [2_000, 2_000]
    assert waiting_entries() == []


@pytest.mark.parametrize(("written", "count"), [("2026-03-19", 1), ("2026-03-20", 2)])
def test_what_was_stored_before_its_day_is_of_other_money(sent_pair, written, count):
    read(day(1, FEE, **MORNING))
    former = recognition.entry_key(("0001", "debit", "", "700", "BSD"))
    BankEntry.objects.update(key=former)

    read(day(2, FEE.replace("2026-03-10", written), **DAY))

    assert (utc_now().date().isoformat(), BankEntry.objects.count()) == ("2026-03-18", count)


def test_what_an_earlier_release_has_stored_with_other_words_is_another_entry(sent_pair):
    read(day(1, FEE, **MORNING))
    former = recognition.entry_key(("0001", "debit", "", "700", "BSD"))
    BankEntry.objects.update(key=former)

    read(day(2, FEE.replace("</Refs>", "</Refs><AddtlTxInf>Fee</AddtlTxInf>"), **DAY))

    assert BankEntry.objects.count() == 2


def test_the_other_mode_has_its_own_entries(sent_pair):
    read(day(1, FEE, **DAY))

    done = read(day(1, FEE, **DAY), livemode=False)

    assert (done.stored.known, done.stored.repeated, BankEntry.objects.count()) == (0, False, 2)


def test_what_was_stored_otherwise_hides_nothing(sent_pair):
    read(day(1, FEE, **MORNING))
    change(BankEntry.objects.get(), amount=600)

    with pytest.raises(BankFileUnfit, match="has entries that others hide: its sum is not stored"):
        read(day(2, FEE, **DAY))

    assert BankStatement.objects.count() == 1
