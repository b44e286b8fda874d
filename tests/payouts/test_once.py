"""No payout leaves twice: not after a restore, not by another file, not unseen."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core.clock import utc_now
from payouts import continuity
from payouts.bank.booking_reconciliation import check_bookings
from payouts.bank.by_hand import set_aside
from payouts.bank_accounts import close_bank_account
from payouts.batch_reconciliation import check_batches
from payouts.batches import create_batch, note_file, orders_of
from payouts.errors import PayoutFileChanged, PayoutsShut
from payouts.models import BankAccount, BankEntry, Continuity, Payout, PayoutBatch
from payouts.pain001 import pain001
from payouts.reconciliation import check_payouts
from tests.funding.money_in import transfer
from tests.ledger.thief import all_rights
from tests.payouts.bank_files import (
    entry,
    notification,
    order_of,
    read,
    statement,
    status_report,
    statuses_of,
    waiting_entries,
)
from tests.payouts.batching import FAR, batch_of, live_payout, undo


@pytest.mark.django_db(transaction=True)
def test_the_same_payouts_are_the_same_message(api):
    live_payout(api)
    first = batch_of()
    told = [order.end_to_end_id for order in orders_of(first)]
    undo(first)

    second = batch_of()

    assert second.id != first.id
    assert second.message_id == first.message_id
    assert [order.end_to_end_id for order in orders_of(second)] == told
    assert len(second.message_id) <= 35
    assert all(len(reference) <= 35 for reference in told)


def test_other_payouts_are_another_message(api):
    live_payout(api)
    first = batch_of()
    live_payout(api)

    assert batch_of().message_id != first.message_id


def test_a_file_is_written_again_only_as_it_was(api, settings):
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "999000", "BOTIBSNSXXX"
    live_payout(api)
    another = batch_of()
    note_file(another, pain001(another, orders_of(another)))
    live_payout(api)
    batch = batch_of()
    note_file(batch, pain001(batch, orders_of(batch)))
    note_file(batch, pain001(batch, orders_of(batch)))

    settings.PAYOUT_DEBTOR_ACCOUNT = "999001"

    with pytest.raises(PayoutFileChanged):
        note_file(batch, pain001(batch, orders_of(batch)))


def test_after_a_restore_nothing_leaves_until_it_was_reconciled(api):
    payout = live_payout(api)
    call_command("restored")

    with pytest.raises(PayoutsShut):
        batch_of()
    payout.refresh_from_db()
    assert payout.status == "scheduled"

    call_command("restored", "--reconciled")
    assert batch_of().count == 1


def test_after_a_restore_a_payout_that_may_have_left_is_not_canceled(api):
    payout = live_payout(api)
    call_command("restored")
    cancel = f"/v1/payouts/{payout.id}/cancel"

    refused = api(payout.merchant, live=True).post(cancel)

    assert (refused.status_code, refused.json()["code"]) == (422, "VALIDATION_FAILED")
    assert refused.json()["details"] == "status: is being compared with the bank"
    call_command("restored", "--reconciled")
    assert api(payout.merchant, live=True).post(cancel).json()["status"] == "canceled"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("form", [statement, notification])
def test_what_left_before_a_restore_is_what_the_bank_says(own_sent_pair, form):
    paid, other = own_sent_pair
    told = order_of(paid)
    undo(paid.batch)
    close_bank_account(bank_account_id=paid.bank_account_id, actor="staff:ann", now=utc_now())

    result = read(form(entry(paid.amount, told)))

    assert (result.matched, statuses_of(own_sent_pair)) == (1, ["paid", "scheduled"])
    assert order_of(paid) == told
    assert [*check_batches(), *check_bookings(), *check_payouts()] == []
    assert [each.id for each in batch_of().payouts.all()] == [other.id]


@pytest.mark.django_db(transaction=True)
def test_with_a_charge_it_is_what_left_before_a_restore(own_sent_pair):
    paid, told = own_sent_pair[0], order_of(own_sent_pair[0])
    undo(paid.batch)
    charge = "<Chrgs><Rcrd><Amt Ccy='BSD'>0.50</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>"

    read(statement(entry(1300, told).replace("</TxDtls>", f"{charge}</TxDtls>")))

    assert statuses_of(own_sent_pair) == ["paid", "scheduled"]
    assert [*check_batches(), *check_bookings(), *check_payouts()] == []


@pytest.mark.django_db(transaction=True)
def test_another_amount_is_not_what_left_before_a_restore(own_sent_pair):
    told = order_of(own_sent_pair[0])
    undo(own_sent_pair[0].batch)

    read(statement(entry(own_sent_pair[0].amount + 1, told)))

    assert statuses_of(own_sent_pair) == ["scheduled", "scheduled"]
    assert waiting_entries() == [
        f"The bank knows payout {own_sent_pair[0].pk}, which is scheduled, with another amount."
    ]


@pytest.mark.django_db(transaction=True)
def test_payouts_stay_shut_while_the_bank_says_what_no_one_has_explained(own_sent_pair):
    told = order_of(own_sent_pair[0])
    undo(own_sent_pair[0].batch)
    call_command("restored")
    read(statement(entry(own_sent_pair[0].amount + 1, told), entry(7, "fee", reference="F")))

    with pytest.raises(CommandError, match="with another amount"):
        call_command("restored", "--reconciled")
    with pytest.raises(PayoutsShut):
        batch_of()

    explained = BankEntry.objects.get(end_to_end_id=told)
    set_aside(
        entry_id=explained.pk, note="Adjusted.", actor="staff:ann", now=utc_now(), by_two=True
    )
    call_command("restored", "--reconciled")
    assert batch_of().count == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("length", [16, 34])
def test_payouts_stay_shut_for_what_the_restored_database_has_never_heard_of(own_sent_pair, length):
    call_command("restored")
    read(statement(entry(77, f"E-{'0' * 32}"[:length])))

    with pytest.raises(CommandError, match="no order with this reference"):
        call_command("restored", "--reconciled")


def test_a_name_that_the_sender_of_money_has_written_keeps_no_payout_shut(own_sent_pair):
    call_command("restored")
    read(statement(transfer(1, "thank you", end_to_end_id=f"E-{'0' * 32}")))

    call_command("restored", "--reconciled")


def test_news_of_what_has_left_keeps_no_payout_shut(own_sent_pair):
    call_command("restored")
    lost = PayoutBatch(message_id=f"B-{'0' * 32}")
    read(status_report(lost, (order_of(own_sent_pair[0]), "ACSP")))
    assert waiting_entries() == ["The order is not from this file."]

    call_command("restored", "--reconciled")


def test_after_a_restore_a_payout_that_may_have_left_is_not_recorded_as_refused(api):
    payout = live_payout(api)
    call_command("restored")

    with pytest.raises(CommandError, match="is being compared with the bank"):
        call_command("record_payout", payout.id, "failed")

    call_command("restored", "--reconciled")
    call_command("record_payout", payout.id, "failed")
    payout.refresh_from_db()
    assert payout.status == "failed"


@pytest.mark.postgres
def test_another_database_is_noticed_by_itself(api):
    live_payout(api)
    assert batch_of().count == 1
    live_payout(api)
    Continuity.objects.update(identity="7000000000000000000 00000001")

    with pytest.raises(PayoutsShut):
        batch_of()

    continuity.confirm(actor="staff:ann", now=utc_now())
    assert batch_of().count == 1


@pytest.mark.postgres
@pytest.mark.django_db
def test_the_identity_is_that_of_the_cluster_and_its_timeline():
    identity, timeline = continuity.database_identity().split()

    assert identity.isdigit()
    assert timeline == "00000001"


TAMPERINGS = {
    "UPDATE payouts_payoutbatch SET count = 3": "says 3 payouts of 1250",
    "UPDATE payouts_payoutbatch SET total_amount = 1": "of 1; its 1 orders make 1250.",
    "UPDATE payouts_payoutbatch SET execution_date = '2099-01-02'": "orders of batch",
    "UPDATE payouts_payoutorder SET amount = 7": "were changed",
    "UPDATE payouts_payoutorder SET bic = 'THIEFXXX'": "were changed",
    "UPDATE payouts_bankaccount SET holder_name = 'A thief'": "was changed after it had left",
    "UPDATE payouts_bankaccount SET clearing_code = '66'": "was changed after it had left",
    "UPDATE payouts_payout SET status = 'scheduled', in_transit_at = NULL": "has not left",
    "UPDATE payouts_payout SET batch_id = NULL": "but is not in it",
    "DELETE FROM payouts_payoutorder": "whose orders do not say so",
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("statement", TAMPERINGS)
def test_a_change_of_what_left_is_found(api, statement):
    live_payout(api)
    batch_of()
    assert list(check_batches()) == []

    with all_rights(), connection.cursor() as cursor:
        cursor.execute(statement)

    assert any(TAMPERINGS[statement] in finding for finding in check_batches())


def test_an_untouched_past_is_fine(api):
    for _ in range(3):
        live_payout(api)
    batch_of(payout_ids=[Payout.objects.order_by("pk").values_list("pk", flat=True)[0]])
    batch = create_batch(
        livemode=True, currency="BSD", execution_date=FAR, actor="staff:ann", now=utc_now()
    )

    assert batch is not None
    assert batch.count == 2
    assert BankAccount.objects.count() == 3
    assert list(check_batches()) == []
