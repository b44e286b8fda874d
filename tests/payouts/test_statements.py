"""Each movement stands in exactly one statement, and every statement adds up"""

import time
from datetime import timedelta
from threading import Event, Thread

import pytest
from django.db import IntegrityError, connection, transaction

from core.clock import utc_now
from ledger.models import Purpose, Transfer
from ledger.services import account_for, lock
from payouts import gathering, statements
from payouts.gathering import gather_ahead
from payouts.models import Statement, StatementLine
from payouts.reconciliation import check_payouts
from payouts.statements import gather, open_statement
from tests.payouts.merchant_balance import credit

PATH = "/v1/payouts"
WAIT_SECONDS = 60  # where others have the machine


@pytest.fixture
def account(merchant):
    return account_for(owner=merchant.id, purpose=Purpose.MERCHANT, currency="BSD", livemode=False)


@pytest.fixture
def small_batches(monkeypatch):
    for module in (statements, gathering):
        monkeypatch.setattr(module, "BATCH", 3)


def test_statements_are_a_chain(api, merchant):
    client = api(merchant)
    for amount, asked in ((1000, 400), (50, 600), (150, None)):
        credit(merchant, amount)
        client.post(PATH, {} if asked is None else {"amount": asked})
    last = client.get(PATH).json()["payouts"][0]["id"]
    client.post(f"{PATH}/{last}/cancel")
    credit(merchant, 130)
    client.post(PATH, {"amount": 100})

    rows = Statement.objects.order_by("number").values_list(
        "opening_amount", "movements_amount", "payout_amount", "closing_amount"
    )
    assert list(rows) == [
        (0, 1000, 400, 600),
        (600, 50, 600, 50),
        (50, 150, 200, 0),
        (0, 330, 100, 230),
    ]
    assert list(check_payouts()) == []


def test_many_batches_gather_every_movement_once(api, merchant, small_batches):
    for number in range(10):
        credit(merchant, 100 + number)
    credit(merchant, -500)

    body = api(merchant).post(PATH, {}).json()

    assert (body["amount"], body["statement"]["movements_count"]) == (545, 11)
    assert (
        StatementLine.objects.count()
        == Transfer.objects.filter(kind__in=("adjustment", "payout")).count()
    )


def test_movements_are_gathered_ahead_where_money_comes_in(merchant, stranger, small_batches):
    for number in range(7):
        credit(merchant, 100 + number)

    assert (gather_ahead(), gather_ahead()) == (7, 0)

    statement = Statement.objects.get()
    assert (statement.movements_count, statement.movements_amount) == (7, 721)
    assert statement.closed_at is None


def test_a_payout_goes_on_from_what_was_gathered(api, merchant):
    credit(merchant, 1000)
    gather_ahead()
    credit(merchant, 250)

    body = api(merchant).post(PATH, {}).json()

    assert body["amount"] == 1250
    assert body["statement"]["movements_count"] == 2


def test_a_late_transfer_with_a_lower_id_is_still_gathered(merchant, account):
    """Ids are given out before they commit: a lower one may turn up after a higher one."""
    for amount in (100, 200, 300):
        credit(merchant, amount)
    late = Transfer.objects.get(amount=200)
    with transaction.atomic():
        lock(account)
        statement = open_statement(account)
        gather(statement)
    StatementLine.objects.filter(transfer=late).delete()

    with transaction.atomic():
        lock(account)
        assert gather(statement) == 1


@pytest.mark.sqlite
def test_once_all_is_gathered_nothing_up_to_the_horizon_is_read_again(merchant, account):
    for amount in (100, 200, 300):
        credit(merchant, amount)
    first, _, last = Transfer.objects.order_by("id")
    with transaction.atomic():
        lock(account)
        statement = open_statement(account)
        gather(statement)
        StatementLine.objects.filter(transfer=first).delete()
        gather(statement)

    assert statement.gathered_through == last.pk


def wait_for_earlier_transactions():
    """Wait until all that were open have ended: those of other tests count, too."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())")
        (after,) = cursor.fetchone()
        ends = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < ends:
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot()) >= %s::xid8", [after])
            if cursor.fetchone()[0]:
                return
            time.sleep(0.005)
    raise AssertionError(f"A transaction has been open for {WAIT_SECONDS} seconds.")


@pytest.mark.django_db(transaction=True)
def test_what_is_committed_is_not_looked_at_again(merchant):
    for amount in (100, 200):
        wait_for_earlier_transactions()
        credit(merchant, amount)
        gather_ahead()
    old, new = Transfer.objects.order_by("id")

    assert Statement.objects.get().gathered_through == old.pk < new.pk


@pytest.mark.django_db(transaction=True)
def test_many_batches_go_on_from_one_another(merchant, small_batches):
    for number in range(10):
        credit(merchant, 100 + number)

    assert gather_ahead() == 10

    [*_, last_of_third, _] = Transfer.objects.order_by("id")
    assert Statement.objects.get().gathered_through == last_of_third.pk


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("hours", [-2, 0, 9600])
def test_no_clock_makes_gathering_pass_over_a_late_transfer(merchant, hours):
    """A payment of a host whose clock is wrong is still open while later ones are gathered."""
    posted, may_commit = Event(), Event()

    def pay_late():
        with transaction.atomic():
            credit(merchant, 100, at=utc_now() + timedelta(hours=hours))
            posted.set()
            may_commit.wait(WAIT_SECONDS)
        connection.close()

    credit(merchant, 1)
    late = Thread(target=pay_late)
    late.start()
    assert posted.wait(WAIT_SECONDS)
    for amount in (200, 300, 400):
        credit(merchant, amount, at=utc_now() + timedelta(hours=hours))
        gather_ahead()
    may_commit.set()
    late.join(WAIT_SECONDS)
    credit(merchant, 500)

    assert gather_ahead() == 2
    statement = Statement.objects.get()
    assert (statement.movements_count, statement.movements_amount) == (6, 1501)
    for amount in (600, 700):
        wait_for_earlier_transactions()
        credit(merchant, amount)
        gather_ahead()
    passed = Transfer.objects.get(amount=600).pk
    assert Statement.objects.get().gathered_through == passed


def test_the_database_refuses_a_movement_in_two_statements(api, merchant, payout):
    line = StatementLine.objects.earliest("transfer")

    with pytest.raises(IntegrityError), transaction.atomic():
        StatementLine.objects.create(
            transfer_id=line.transfer_id, statement=line.statement, amount=1
        )


@pytest.mark.parametrize(
    "change",
    [
        {"closing_amount": 1},
        {"payout_amount": 1251},
        {"opening_amount": 5},
        {"closed_at": None},
        {"closing_amount": None},
        {"payout_amount": None},
        {"closing_amount": -1, "payout_amount": 1251},
    ],
)
def test_the_database_refuses_a_statement_that_does_not_add_up(payout, change):
    with pytest.raises(IntegrityError), transaction.atomic():
        Statement.objects.update(**change)


def test_the_database_refuses_two_open_statements(account):
    open_statement(account)

    with pytest.raises(IntegrityError), transaction.atomic():
        Statement.objects.create(account=account, number=2, opening_amount=0)


@pytest.mark.parametrize(
    ("known", "seen", "is_all", "after"),
    [
        # gathered through, horizon and its number; ended before, begun before
        ((5, None, None), (70, 80), True, (5, 99, 80)),
        ((5, 50, 60), (59, 80), True, (5, 50, 60)),
        ((5, 50, 60), (60, 80), True, (50, 99, 80)),
        ((5, 50, 60), (59, 60), True, (5, 50, 60)),
        ((5, 50, 60), (50, 59), True, (5, 99, 59)),
        ((55, 50, 60), (60, 80), True, (55, 99, 80)),
        ((5, 150, 60), (60, 80), True, (150, 99, 80)),
        ((5, 150, 60), (60, 80), False, (99, 99, 80)),
    ],
)
def test_it_moves_on_to_what_can_turn_up_no_more(known, seen, is_all, after):
    statement = Statement(
        gathered_through=known[0], horizon_transfer=known[1], horizon_transaction=known[2]
    )
    last = statements._Added(99, amount=1, ended_before=seen[0], begun_before=seen[1])

    statements._move_on(statement, ended_before=seen[0], last=last, is_all=is_all)

    names = ("gathered_through", "horizon_transfer", "horizon_transaction")
    assert tuple(getattr(statement, name) for name in names) == after


def test_no_statement_goes_on_from_that_of_another_account(api, merchant, stranger):
    for owner, amount in ((merchant, 1_000), (stranger, 500)):
        for _ in range(2):
            credit(owner, amount)
            assert api(owner).post(PATH, {"amount": 300}).status_code == 201

    rows = Statement.objects.order_by("account__owner", "number")
    found = {
        owner.id: list(
            rows.filter(account__owner=owner.id).values_list(
                "number", "opening_amount", "closing_amount"
            )
        )
        for owner in (merchant, stranger)
    }
    assert found == {
        merchant.id: [(1, 0, 700), (2, 700, 1_400)],
        stranger.id: [(1, 0, 200), (2, 200, 400)],
    }
    assert list(check_payouts()) == []


def test_only_balances_of_merchants_that_money_came_into_are_gathered(merchant, stranger):
    account_for(owner=stranger.id, purpose=Purpose.MERCHANT, currency="BSD", livemode=False)
    credit(merchant, 100)
    credit(merchant, -50)

    assert gather_ahead() == 2

    assert Statement.objects.get().account.owner == merchant.id


def test_each_account_has_its_own_open_statement(merchant, stranger):
    for owner in (merchant, stranger):
        credit(owner, 100)

    assert gather_ahead() == 2

    open_ones = Statement.objects.filter(closed_at=None).values_list("account__owner", "number")
    assert set(open_ones) == {(merchant.id, 1), (stranger.id, 1)}
