"""What the bank says that does not fit: it waits for a person, or the file is refused whole"""

import io
import json
import re

import pytest
from django.core.management import CommandError, call_command

from core.clock import utc_now
from payouts.bank.by_hand import match_by_hand, set_aside
from payouts.errors import BankFileUnreadable
from payouts.models import BankEntry, BankFile, BankStatement
from payouts.services import record_failed
from tests.events import event_types
from tests.payouts.bank_files import (
    batch_details,
    entry,
    notification,
    order_of,
    read,
    returned,
    statement,
    status_report,
    statuses_of,
    waiting_entries,
)
from tests.payouts.batching import batch_of, live_payout


def run(content, tmp_path, *words):
    path, out = tmp_path / "answer.xml", io.StringIO()
    path.write_text(content)
    call_command("import_bank_file", str(path), *words, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (lambda order: entry(1251, order), "is BSD 0.01 more than the payout"),
        (lambda order: entry(1249, order), "amount or the currency"),
        (lambda order: entry(1250, f"{order[:-1]}x"), "no order with this reference"),
        (lambda order: entry(1250, ""), "no order with this reference"),
        (lambda order: entry(1250, order, direction="CRDT"), "names one of our orders"),
        (lambda order: entry(1249, order, direction="CRDT", returned="AC04"), "amount"),
    ],
)
def test_what_does_not_match_exactly_waits(sent_pair, wrong, problem):
    before = event_types()

    done = read(statement(wrong(order_of(sent_pair[0]))))

    assert (done.matched, done.unmatched) == (0, 1)
    assert problem in waiting_entries()[0]
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]
    assert event_types() == before


def test_a_second_booking_waits(sent_pair):
    order = order_of(sent_pair[0])

    read(statement(entry(1250, order), entry(1250, order, reference="TRN 2")))

    assert ["payout. If a person" in each for each in waiting_entries()] == [True]


def test_what_comes_back_of_two_bookings_is_no_return_of_the_payout(sent_pair):
    """The merchant has been paid by the other, and must not get the money again."""
    payout = sent_pair[0]
    order = order_of(payout)
    read(statement(entry(1250, order), entry(1250, order, reference="TRN 2")))
    second = BankEntry.objects.unmatched().get()

    read(statement(returned(payout), message_id="M-2", number="2"))
    set_aside(entry_id=second.pk, note="Sent twice", by_two=True, actor="staff:ann", now=utc_now())
    read(statement(message_id="M-3", number="3"))

    assert statuses_of(sent_pair) == ["paid", "in_transit"]
    assert ["debited this payout twice" in each for each in waiting_entries()] == [True]


def test_a_person_can_match_the_return_of_a_payout_booked_twice(sent_pair):
    payout = sent_pair[0]
    order = order_of(payout)
    read(statement(entry(1250, order), entry(1250, order, reference="TRN 2"), returned(payout)))
    came_back = BankEntry.objects.get(kind="return")

    match_by_hand(entry_id=came_back.pk, payout_id=payout.pk, actor="staff:ann", now=utc_now())

    assert statuses_of(sent_pair) == ["returned", "in_transit"]


def test_a_booking_of_what_was_recorded_as_refused_waits(sent_pair):
    record_failed(
        payout_id=sent_pair[0].pk, code="x", message="No.", actor="staff:ann", now=utc_now()
    )

    read(statement(entry(1250, order_of(sent_pair[0]))))

    [problem] = waiting_entries()
    assert problem.startswith(f"The bank says debit, but payout {sent_pair[0].pk} is failed.")
    assert problem.endswith("adjust the balance, set this aside.")


def test_a_refusal_of_what_was_booked_waits(sent_pair):
    read(statement(entry(1250, order_of(sent_pair[0]))))

    read(status_report(sent_pair[0].batch, group="RJCT"))

    assert waiting_entries() == [f"The bank says rejected, but payout {sent_pair[0].pk} is paid."]
    assert statuses_of(sent_pair) == ["paid", "in_transit"]


def test_a_refusal_as_a_duplicate_says_nothing_of_the_first_order(sent_pair):
    """The file was sent twice: the payouts may well be paid."""
    reason = "<Rsn><Cd>{}</Cd></Rsn>"
    batch, order = sent_pair[0].batch, (order_of(sent_pair[0]), "RJCT")

    read(status_report(batch, group="RJCT", reason=reason.format("DU01")))
    read(status_report(batch, order, message_id="S-2", reason=reason.format("AM05")))

    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]
    problem = "The bank already has this order: find out what became of the first."
    assert waiting_entries() == [problem, problem]
    read(statement(entry(sent_pair[0].amount, order[0])))
    assert statuses_of(sent_pair) == ["paid", "in_transit"]


@pytest.mark.parametrize(
    "levels",
    [
        {"group": "RJCT", "group_reason": "AM05"},
        {"group": "PART", "group_reason": "DU01"},
        {"payment": "RJCT", "payment_reason": "DU02"},
        {"group": "RJCT", "payment_reason": "AM05"},
        {"payment": "RJCT", "payment_reason": "DU02", "reason": "AC04"},
        {"payment": "RJCT", "reason": "AM05"},
        {"group": "RJCT", "reason": "AM05"},
    ],
)
def test_a_refusal_as_a_duplicate_stands_at_any_level(sent_pair, levels):
    words = {
        name: f"<Rsn><Cd>{told}</Cd></Rsn>" if name.endswith("reason") else told
        for name, told in levels.items()
    }

    read(status_report(sent_pair[0].batch, (order_of(sent_pair[0]), "RJCT"), **words))

    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]
    assert {problem[:32] for problem in waiting_entries()} == {"The bank already has this order:"}


@pytest.mark.parametrize("level", ["group", "payment"])
def test_an_order_without_a_reason_has_that_of_what_it_is_in(sent_pair, level):
    reason = "<Rsn><Cd>AC06</Cd></Rsn><AddtlInf>Blocked</AddtlInf>"
    order = (order_of(sent_pair[0]), "RJCT")

    read(status_report(sent_pair[0].batch, order, **{level: "RJCT", f"{level}_reason": reason}))

    assert statuses_of(sent_pair) == ["failed", "failed"]
    for payout in sent_pair:
        payout.refresh_from_db()
        assert (payout.failure_code, payout.failure_message) == ("AC06", "Blocked")


def test_an_unknown_status_or_another_files_order_waits(api, sent_pair):
    other = live_payout(api)
    batch = batch_of()
    report = status_report(batch, (order_of(other), "ABCD"), (order_of(sent_pair[0]), "ACSC"))

    read(report)

    assert sorted(waiting_entries()) == [
        "A person has to say what this is.",
        "The order is not from this file.",
    ]


def test_a_return_after_all_deadlines_waits(sent_pair, settings):
    settings.PAYOUT_RETURN_DAYS = -1
    read(statement(entry(1250, order_of(sent_pair[0]))))

    read(statement(returned(sent_pair[0]), message_id="M-2", number="2026-2"))

    assert waiting_entries() == ["paid_at: is more than -1 days ago"]
    assert statuses_of(sent_pair) == ["paid", "in_transit"]


def test_a_return_less_a_charge_waits_and_says_what_is_missing(sent_pair):
    payout, _ = sent_pair
    read(statement(entry(1250, order_of(payout)), message_id="M-0", number="2026-0"))

    result = read(notification(entry(1000, order_of(payout), direction="CRDT", returned="AC04")))

    assert (result.matched, result.unmatched) == (0, 1)
    [problem] = waiting_entries()
    assert "is BSD 2.50 less than the payout" in problem
    payout.refresh_from_db()
    assert payout.status == "paid"


def test_a_part_of_a_run_is_no_return_less_a_charge(sent_pair):
    batch = sent_pair[0].batch
    read(statement(entry(2050, details=batch_details(batch)), message_id="M-0", number="2026-0"))

    back = entry(800, details=batch_details(batch), direction="CRDT", reversal=True)
    read(notification(back))

    assert waiting_entries() == [
        "It is part of a run of 2 payouts: ask the bank which one came back."
    ]


def test_a_date_at_the_end_of_the_calendar_is_refused_like_any_other(sent_pair):
    content = re.sub(r"<CreDtTm>[^<]*", "<CreDtTm>9999-12-31T23:59:59", statement(entry(1250)))

    with pytest.raises(BankFileUnreadable):
        read(content)


def test_test_payouts_are_not_answered_by_live_files(sent_pair):
    read(statement(entry(1250, order_of(sent_pair[0]))), livemode=False)

    assert waiting_entries() == ["There is no order with this reference."]
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (lambda order: statement(entry(1250, order), account="1"), "not the one that payouts"),
        (
            lambda order: statement(entry(1250, order), opening=5000, closing=5000),
            "does not add up",
        ),
        (
            lambda order: re.sub("(<Stmt>.*</Stmt>)", r"\1\1", statement(entry(1250, order))),
            "appears twice in the file",
        ),
        (lambda order: statement(entry(1250, order, currency="USD")), "not that of the statement"),
    ],
)
def test_a_file_that_contradicts_itself_is_not_stored(sent_pair, tmp_path, content, refusal):
    with pytest.raises(CommandError, match=refusal):
        run(content(order_of(sent_pair[0])), tmp_path)

    assert not BankFile.objects.exists()
    assert not BankEntry.objects.exists()


def test_a_message_id_stands_for_one_file(sent_pair, tmp_path):
    read(statement(entry(1250, order_of(sent_pair[0]))))

    with pytest.raises(CommandError, match="with other contents"):
        run(statement(entry(800, order_of(sent_pair[1]))), tmp_path)
    with pytest.raises(CommandError, match="with other figures"):
        run(statement(entry(800, order_of(sent_pair[1])), message_id="M-2"), tmp_path)


def test_the_command_tells_what_came_of_it(sent_pair, tmp_path):
    content = statement(
        entry(1250, order_of(sent_pair[0])), entry(7, reference="F"), opening=9000, closing=7743
    )

    printed = run(content, tmp_path)
    figures = json.loads(run(content, tmp_path, "--json"))

    assert printed == "statement (camt.053) M-1: 1 matched, 1 wait for a person.\n"
    assert figures == {
        "source": "statement",
        "message_id": "M-1",
        "repeated": True,
        "matched": 0,
        "unmatched": 1,
        "known": 0,
        "matched_earlier": 0,
    }
    stored = BankStatement.objects.get()
    assert (stored.opening_amount, stored.closing_amount) == (9000, 7743)
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_bank_file", str(tmp_path / "none.xml"))


def test_the_command_tells_what_it_explained_of_earlier_files(sent_pair, tmp_path):
    paid, refused = sent_pair
    read(statement(entry(1250, details=batch_details(paid.batch))))

    printed = run(status_report(paid.batch, (order_of(refused), "RJCT")), tmp_path)

    assert printed.endswith("S-1: 1 matched, 0 wait for a person, 1 of earlier files matched.\n")


def test_the_same_number_in_another_currency_waits(sent_pair):
    order = order_of(sent_pair[0])

    read(statement(entry(1250, order, currency="USD"), currency="USD"))

    assert waiting_entries() == ["The amount or the currency is not that of the order."]
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]
