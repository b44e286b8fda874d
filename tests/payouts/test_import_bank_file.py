"""The bank's files, imported: each answer becomes what it says of its payout, once"""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from core.clock import utc_now
from ledger.models import Purpose
from payouts.bank.booking_reconciliation import check_bookings
from payouts.models import BankEntry, BankFile, BankStatement, Payout
from payouts.reconciliation import check_payouts
from payouts.services import record_failed, record_paid
from tests.events import event_types
from tests.payouts.bank_files import (
    batch_details,
    entry,
    notification,
    order_of,
    read,
    statement,
    status_report,
)
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import held


@pytest.fixture(autouse=True)
def account(settings):
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "000 777", "BOTIBSNS"


@pytest.fixture
def sent(api):
    """Two payouts of 1250 and 800 that have left in one batch."""
    payouts = [live_payout(api, amount=1250), live_payout(api, amount=800)]
    batch_of()
    return [Payout.objects.get(pk=payout.pk) for payout in payouts]


def statuses(payouts):
    return [Payout.objects.get(pk=payout.pk).status for payout in payouts]


def problems():
    return [*check_payouts(), *check_bookings()]


def waiting():
    return list(BankEntry.objects.unmatched().values_list("problem", flat=True))


def run(content, tmp_path, *words):
    path, out = tmp_path / "answer.xml", io.StringIO()
    path.write_text(content)
    call_command("import_bank_file", str(path), *words, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("version", ["03", "10"])
def test_a_status_report_settles_and_rejects_each_order(sent, version):
    first, second = sent
    report = status_report(
        first.batch,
        (order_of(first), "ACSC", "12.50"),
        (order_of(second), "RJCT", "8.00"),
        group="PART",
        version=version,
        reason="<Rsn><Cd>AC04</Cd></Rsn><AddtlInf>Closed.</AddtlInf>",
    )

    done = read(report)

    assert (done.matched, done.unmatched, done.stored.repeated) == (2, 0, False)
    assert statuses(sent) == ["paid", "failed"]
    failed = Payout.objects.get(pk=second.pk)
    assert (failed.failure_code, failed.failure_message) == ("AC04", "Closed.")
    assert sorted(event_types()[-2:]) == ["payout.failed", "payout.paid"]
    assert problems() == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"group": "RJCT"}, "failed"),
        ({"payment": "RJCT"}, "failed"),
        ({"group": "ACSC"}, "paid"),
        ({"group": "ACSP"}, "in_transit"),
        ({"group": "ACCP", "payment": "RJCT"}, "failed"),
        ({"group": "PART", "payment": "PART"}, "in_transit"),
    ],
)
def test_a_status_of_the_group_is_that_of_each_order(sent, words, expected):
    read(status_report(sent[0].batch, **words))

    assert statuses(sent) == [expected, expected]
    assert waiting() == []


def test_a_group_does_not_speak_for_what_is_named(sent):
    first = sent[0]

    read(status_report(first.batch, (order_of(first), "RJCT"), group="ACSC"))

    assert statuses(sent) == ["failed", "paid"]


@pytest.mark.parametrize(("version", "booked"), [("02", "<Sts>BOOK</Sts>"), ("08", None)])
@pytest.mark.parametrize("form", [statement, notification])
def test_a_booked_entry_pays_its_payout(sent, form, version, booked):
    options = {"booked": booked} if booked else {}

    read(form(entry(1250, order_of(sent[0]), **options), version=version))

    assert statuses(sent) == ["paid", "in_transit"]
    paid = Payout.objects.get(pk=sent[0].pk)
    assert (paid.bank_reference, paid.booked_at is not None) == ("TRN 1", form is statement)
    assert problems() == []


def test_an_entry_that_is_not_booked_yet_says_nothing(sent):
    read(statement(entry(1250, order_of(sent[0]), booked="<Sts><Cd>PDNG</Cd></Sts>")))

    assert statuses(sent) == ["in_transit", "in_transit"]
    assert not BankEntry.objects.exists()


@pytest.mark.parametrize("itemized", [True, False])
def test_one_entry_can_book_a_batch(sent, itemized):
    parts = [(order_of(payout), payout.amount) for payout in sent] if itemized else []

    read(statement(entry(2050, details=batch_details(sent[0].batch, *parts))))

    assert statuses(sent) == ["paid", "paid"]
    assert not Payout.objects.filter(booked_at=None).exists()
    assert problems() == []


def test_a_batch_is_booked_without_what_the_bank_refused(sent):
    read(status_report(sent[0].batch, (order_of(sent[1]), "RJCT"), group="PART"))

    read(statement(entry(1250, details=batch_details(sent[0].batch))))

    assert statuses(sent) == ["paid", "failed"]
    assert problems() == []


def returned(payout, **options):
    details = {"direction": "CRDT", "returned": "AC04", "reference": "RTN 1", **options}
    return entry(payout.amount, order_of(payout), **details)


@pytest.mark.parametrize("form", [statement, notification])
def test_money_that_comes_back_is_the_merchants_again(api, sent, form):
    first = sent[0]
    read(statement(entry(1250, order_of(first))))

    read(form(returned(first), message_id="M-2", number="2026-2"))

    body = api(first.merchant, live=True).get(f"/v1/payouts/{first.pk}").json()
    assert (body["status"], body["error_code"]) == ("returned", "AC04")
    assert body["error_message"] == "Account closed"
    assert body["returned_at"] >= body["paid_at"]
    assert held(first.merchant, Purpose.MERCHANT, livemode=True) == 1250
    assert held(first.merchant, Purpose.BANK, livemode=True) == 0
    assert event_types()[-2:] == ["payout.paid", "payout.failed"]
    assert problems() == []


def test_a_booking_that_the_bank_reverses_is_a_return(sent):
    read(statement(entry(1250, order_of(sent[0]))))

    read(statement(returned(sent[0], returned="", reversal=True), message_id="2", number="2"))

    assert statuses(sent) == ["returned", "in_transit"]


def test_a_return_may_come_before_the_booking(sent):
    read(notification(returned(sent[0])))
    assert statuses(sent) == ["returned", "in_transit"]

    read(statement(entry(1250, order_of(sent[0])), returned(sent[0])))

    assert waiting() == []
    payout = Payout.objects.get(pk=sent[0].pk)
    assert payout.booked_at is not None
    assert payout.return_booked_at is not None
    assert event_types()[-2:] == ["payout.paid", "payout.failed"]
    assert held(sent[0].merchant, Purpose.MERCHANT, livemode=True) == 1250
    assert problems() == []


def test_a_file_that_comes_twice_changes_nothing(sent):
    content = statement(entry(1250, order_of(sent[0])))
    read(content)
    before = event_types()

    again = read(content)

    assert (again.stored.repeated, again.matched, again.unmatched) == (True, 0, 0)
    assert event_types() == before
    assert (BankFile.objects.count(), BankEntry.objects.count()) == (1, 1)


def test_an_entry_that_is_in_two_files_is_one_entry(sent):
    first, second = (order_of(payout) for payout in sent)
    read(statement(entry(1250, first)))

    other = read(
        statement(
            entry(1250, first),
            entry(800, second, reference="TRN 2"),
            message_id="M-2",
            number="2026-2",
        )
    )

    assert (other.matched, other.stored.known) == (1, 1)
    assert statuses(sent) == ["paid", "paid"]
    assert waiting() == []


def test_what_staff_have_recorded_is_not_recorded_again(sent):
    record_paid(payout_id=sent[0].pk, actor="staff:ann", now=utc_now())
    before = event_types()

    read(statement(entry(1250, order_of(sent[0]))))

    assert (event_types(), waiting()) == (before, [])
    assert Payout.objects.get(pk=sent[0].pk).booked_at is not None


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (lambda order: entry(1251, order), "amount or the currency"),
        (lambda order: entry(1250, f"{order[:-1]}x"), "no order of this reference"),
        (lambda order: entry(1250, ""), "no order of this reference"),
        (lambda order: entry(1250, order, direction="CRDT"), "for a person to say"),
        (lambda order: entry(1249, order, direction="CRDT", returned="AC04"), "amount"),
    ],
)
def test_what_does_not_match_exactly_waits(sent, wrong, problem):
    before = event_types()

    done = read(statement(wrong(order_of(sent[0]))))

    assert (done.matched, done.unmatched) == (0, 1)
    assert problem in waiting()[0]
    assert statuses(sent) == ["in_transit", "in_transit"]
    assert event_types() == before


def test_a_second_booking_waits(sent):
    order = order_of(sent[0])

    read(statement(entry(1250, order), entry(1250, order, reference="TRN 2")))

    assert waiting() == ["The bank has said this of the payout before."]


def test_a_booking_of_what_was_recorded_as_refused_waits(sent):
    record_failed(payout_id=sent[0].pk, code="x", message="No.", actor="staff:ann", now=utc_now())

    read(statement(entry(1250, order_of(sent[0]))))

    assert waiting() == [f"The bank says debit, but payout {sent[0].pk} is failed."]


def test_a_refusal_of_what_was_booked_waits(sent):
    read(statement(entry(1250, order_of(sent[0]))))

    read(status_report(sent[0].batch, group="RJCT"))

    assert waiting() == [f"The bank says rejected, but payout {sent[0].pk} is paid."]
    assert statuses(sent) == ["paid", "in_transit"]


def test_an_unknown_status_or_another_files_order_waits(api, sent):
    other = live_payout(api)
    batch = batch_of()
    report = status_report(batch, (order_of(other), "ABCD"), (order_of(sent[0]), "ACSC"))

    read(report)

    assert sorted(waiting()) == [
        "It is for a person to say what this is.",
        "The order is not of this file.",
    ]


def test_a_return_after_all_deadlines_waits(sent, settings):
    settings.PAYOUT_RETURN_DAYS = -1
    read(statement(entry(1250, order_of(sent[0]))))

    read(statement(returned(sent[0]), message_id="M-2", number="2026-2"))

    assert waiting() == ["paid_at: is more than -1 days ago"]
    assert statuses(sent) == ["paid", "in_transit"]


def test_test_payouts_are_not_answered_by_live_files(sent):
    read(statement(entry(1250, order_of(sent[0]))), livemode=False)

    assert waiting() == ["There is no order of this reference."]
    assert statuses(sent) == ["in_transit", "in_transit"]


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (lambda order: statement(entry(1250, order), account="1"), "not the one that payouts"),
        (
            lambda order: statement(entry(1250, order), opening=5000, closing=5000),
            "does not add up",
        ),
        (
            lambda order: statement(entry(1250, order), entry(1250, order)),
            "stands twice in the file",
        ),
        (lambda order: statement(entry(1250, order, currency="USD")), "not that of the statement"),
    ],
)
def test_a_file_that_contradicts_itself_is_not_stored(sent, tmp_path, content, refusal):
    with pytest.raises(CommandError, match=refusal):
        run(content(order_of(sent[0])), tmp_path)

    assert not BankFile.objects.exists()
    assert not BankEntry.objects.exists()


def test_a_message_id_stands_for_one_file(sent, tmp_path):
    read(statement(entry(1250, order_of(sent[0]))))

    with pytest.raises(CommandError, match="with other contents"):
        run(statement(entry(800, order_of(sent[1]))), tmp_path)
    with pytest.raises(CommandError, match="with other figures"):
        run(statement(entry(800, order_of(sent[1])), message_id="M-2"), tmp_path)


def test_the_command_tells_what_came_of_it(sent, tmp_path):
    content = statement(
        entry(1250, order_of(sent[0])), entry(7, reference="F"), opening=9000, closing=7743
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
    }
    stored = BankStatement.objects.get()
    assert (stored.opening_amount, stored.closing_amount) == (9000, 7743)
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_bank_file", str(tmp_path / "none.xml"))
