"""A payout that left with a top-up's reference in its words, and comes back, fills no wallet"""

import functools
import unicodedata
from datetime import timedelta

import pytest

from core.clock import utc_now
from core.creditor_references import grouped, references_in
from ledger.models import Purpose
from payouts import bank_words
from payouts.bank.by_hand import match_by_hand
from payouts.bank_words import to_bank_characters
from payouts.models import BankEntry, Payout
from tests.funding.money_in import LIVE, booked, customer_with, held, ordered, transfer
from tests.payouts.bank_files import notification, read, returned, statement, waiting_entries
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import held as held_by
from tests.races import at_once


@pytest.fixture(autouse=True)
def account(settings):
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "000 777", "BOTIBSNS"


@pytest.fixture
def customer(db):
    return customer_with(0, LIVE, livemode=True)


def sent_with_the_words(api, words, field="description"):
    """A payout of 1250 that has left, as one that was asked for before they were refused."""
    payout = live_payout(api, **({} if field == "description" else {field: words}))
    Payout.objects.filter(pk=payout.pk).update(**({field: words} if field == "description" else {}))
    batch_of()
    return Payout.objects.get(pk=payout.pk)


def comes_back(words, **names):
    """What a bank writes of it that passes on no name of ours and does not call it a return."""
    return transfer(1250, words, **names)


def moved(customer, payout):
    return held(customer) + held_by(payout.merchant, Purpose.MERCHANT, livemode=True)


def full_width(name):
    return "".join(chr(ord(sign) + 0xFEE0) for sign in name)


def accented(name):
    return unicodedata.normalize("NFC", "".join(f"{sign}\u0301" for sign in name))


@pytest.mark.parametrize("field", ["description", "holder_name", "bank_name"])
@pytest.mark.parametrize("spelled", [full_width, accented, lambda name: f"Łódź {full_width(name)}"])
def test_words_that_the_bank_has_in_its_own_letters_are_found(api, customer, spelled, field):
    words = spelled(ordered(customer, 1250).reference)
    payout = sent_with_the_words(api, words, field)

    booked(comes_back(to_bank_characters(words)))

    assert moved(customer, payout) == 0
    assert f"Payout {payout.pk} was sent with this text" in waiting_entries()[0]


@pytest.mark.parametrize("field", ["description", "holder_name", "bank_name"])
@pytest.mark.parametrize("spelled", [grouped, lambda name: f"rent/{name.lower()[:7]}_{name[7:]}"])
def test_it_waits_for_a_person_who_matches_it(api, customer, spelled, field):
    words = spelled(ordered(customer, 1250).reference)
    payout = sent_with_the_words(api, words, field)

    booked(comes_back(words.replace("_", ".")))

    assert moved(customer, payout) == 0
    said = f"Payout {payout.pk} was sent with this text: if it came back, match it by hand."
    assert waiting_entries() == [said]
    entry = BankEntry.objects.get()
    match_by_hand(entry_id=entry.pk, payout_id=payout.pk, actor="staff:ann", now=utc_now())
    assert (held(customer), moved(customer, payout)) == (0, 1250)


@pytest.mark.parametrize("first", ["return", "money in"])
def test_what_another_file_calls_a_return_is_paid_back_once(api, customer, first):
    payout = sent_with_the_words(api, words := ordered(customer, 1250).reference)
    files = [notification(returned(payout)), statement(comes_back(words, reference="IN 77"))]

    for content in files if first == "return" else reversed(files):
        read(content)

    assert (held(customer), moved(customer, payout)) == (0, 1250)


@pytest.mark.postgres
@pytest.mark.real_clock
@pytest.mark.django_db(transaction=True)
def test_both_files_at_once_pay_it_back_once(api):
    for turn in range(5):
        customer = customer_with(0, f"{LIVE[:-1]}{turn}", livemode=True)
        payout = sent_with_the_words(api, words := ordered(customer, 1250).reference)
        names = {"reference": f"RTN {turn}"}
        files = [
            notification(returned(payout, **names), message_id=f"N-{turn}"),
            statement(comes_back(words, **names), message_id=f"M-{turn}", number=f"2026-{turn}"),
        ]

        at_once([functools.partial(read, content) for content in files])

        assert (held(customer), moved(customer, payout)) == (0, 1250)


@pytest.mark.parametrize("spelled", [str, full_width, lambda name: "Café Ångström"])
def test_the_customers_own_transfer_is_credited_beside_other_words(api, customer, spelled):
    top_up = ordered(customer, 1250)
    payout = sent_with_the_words(api, spelled(ordered(customer, 900).reference))

    booked(transfer(1250, top_up.reference))

    assert held(customer) == moved(customer, payout) == 1250


def test_the_words_are_read_once_for_a_file(api, monkeypatch):
    """Each transfer of a file looked through the words of all orders since its top-up."""
    customers = [customer_with(0, f"{LIVE[:-1]}{last}", livemode=True) for last in range(4)]
    top_ups = [ordered(customer, 2_000) for customer in customers]
    sent_with_the_words(api, grouped(top_ups[3].reference))
    looked_at, look = [], references_in

    def counted(*texts):
        looked_at.append(texts)
        return look(*texts)

    monkeypatch.setattr(bank_words, "references_in", counted)
    booked(*(transfer(2_000, one.reference, f"IN-{one.pk}") for one in top_ups))

    assert [held(customer) for customer in customers] == [2_000, 2_000, 2_000, 0]
    assert len(looked_at) == 1


def test_only_what_left_since_then_counts_to_the_instant(api, customer):
    reference = ordered(customer, 1250).reference
    payout = sent_with_the_words(api, reference)
    words, at = bank_words.WordsOfOrders(), payout.created_at
    later = at + timedelta(microseconds=1)

    found = [
        words.payout_with(reference, livemode=True, since=since) for since in (later, at, later)
    ]

    assert found == ["", payout.pk, ""]


@pytest.mark.parametrize(
    ("written", "times"),
    [
        ("rent of May", 0),
        ("RF12 2222 222", 0),
        ("RF1A 2222 2222", 0),
        ("rf12-2222-2222", 1),
        ("R/F1 2.2222.2222", 1),
        ("Café", 1),
        (f"{'x' * 100} {full_width('RF12')}", 1),
    ],
)
@pytest.mark.parametrize("field", ["description", "holder_name", "bank_name"])
def test_only_what_may_have_a_reference_is_read(api, customer, monkeypatch, field, written, times):
    """All other orders since then, of which there are many, stay in the database."""
    payout = sent_with_the_words(api, written, field)
    looked_at = []

    def references_in(*texts):
        looked_at.append(texts)
        return set()

    monkeypatch.setattr(bank_words, "references_in", references_in)

    bank_words.WordsOfOrders().payout_with("RF", livemode=True, since=payout.created_at)

    assert len(looked_at) == times


def test_orders_of_the_other_mode_have_other_words(api, customer):
    reference = ordered(customer, 1250).reference
    payout = sent_with_the_words(api, reference)
    words, at = bank_words.WordsOfOrders(), payout.created_at

    assert words.payout_with(reference, livemode=False, since=at) == ""
    assert words.payout_with(reference, livemode=True, since=at) == payout.pk
    assert words.payout_with(reference, livemode=False, since=at) == ""


def test_no_order_is_read_twice_or_before_it_may_count(
    api, customer, monkeypatch, django_assert_num_queries
):
    payouts = [sent_with_the_words(api, words) for words in ("RF12-2222-2222", "RF13-3333-3333")]
    first, second = (payout.created_at for payout in payouts)
    Payout.objects.filter(pk=payouts[1].pk).update(created_at=second + timedelta(seconds=1))
    looked_at = []

    def references_in(*texts):
        looked_at.append(texts)
        return set()

    monkeypatch.setattr(bank_words, "references_in", references_in)
    words = bank_words.WordsOfOrders()

    words.payout_with("RF", livemode=True, since=second + timedelta(seconds=2))
    assert looked_at == []
    words.payout_with("RF", livemode=True, since=second + timedelta(seconds=1))
    assert len(looked_at) == 1
    words.payout_with("RF", livemode=True, since=first)
    assert len(looked_at) == 2
    for since in (first, second):
        with django_assert_num_queries(0):
            words.payout_with("RF", livemode=True, since=since)


@pytest.mark.parametrize(
    ("written", "passed_on"),
    [
        ("ß æ Æ œ Œ ø Ø", "ss ae AE oe OE o O"),
        ("ł Ł đ Đ \u0131", "l L d D i"),
        ("\u2018a\u2019 \u2013 b \u2014 c", "'a' - b - c"),
        ("Café Ångström", "Cafe Angstrom"),
        (full_width("RF12"), "RF12"),
        ("a/-?:().,'+ z", "a/-?:().,'+ z"),
        ("a&b_c@d*e\n", "a.b.c.d.e."),
        ("日本 ②", ".. 2"),
        ("/ROC/x//y///z/", "ROC/x/y/z"),
        (" / a / ", "a"),
        ("x" * 141, "x" * 140),
        (f"{'x' * 138} / y", "x" * 138),
    ],
)
def test_banks_pass_words_on_in_the_characters_of_all_banks(written, passed_on):
    assert to_bank_characters(written) == passed_on
