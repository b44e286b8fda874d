"""What a payout is made of, what explains a difference, and what came too late for it."""

import pytest

from ledger.models import TransferKind
from payouts import composition
from payouts.account_statements import SUMS
from payouts.composition import (
    Composition,
    CompositionPart,
    composition_of,
    explain_payout,
    lines_too_late_for,
)
from payouts.models import Payout, StatementLine
from payouts.statements import gather, lines_to_gather, open_statement
from tests.payouts.merchant_balance import credit
from tests.refunds.refunding import refund, sell


@pytest.fixture
def payouts(api, merchant, stranger) -> list[Payout]:
    """Two payouts in a row, and two of another merchant."""
    sales = [sell(merchant, amount, fee=1_000) for amount in (1_000, 400)]
    refund(api, sales[1], 100)
    credit(merchant, 70)
    api(merchant).post("/v1/payouts", {"amount": 900})
    credit(merchant, 70)
    credit(merchant, -30)
    credit(stranger, 500)
    for seller in (merchant, stranger):
        assert api(seller).post("/v1/payouts", {}).status_code == 201
    credit(stranger, 160)
    assert api(stranger).post("/v1/payouts", {}).status_code == 201
    return list(Payout.objects.order_by("created_at"))


def part(amount: int = 0, count: int = 0) -> CompositionPart:
    return CompositionPart(amount, count)


def test_its_parts_are_sums_of_its_own_lines(payouts):
    parts = {
        "payments_amount": part(1_400, 2), "fees_amount": part(-130, 3),
        "refunds_amount": part(-100, 1), "adjustments_amount": part(70, 1),
        "payouts_amount": part(), "returned_payouts_amount": part(),
    }  # fmt: skip
    first = Composition(
        opening_amount=0, parts=parts, payout_amount=900, closing_amount=1_240 - 900
    )
    assert [composition_of(payouts[0]) for _ in range(2)] == [first] * 2
    none = dict.fromkeys(parts, part())
    assert composition_of(payouts[1]) == Composition(
        opening_amount=340,
        parts=none | {"adjustments_amount": part(40, 2)},
        payout_amount=380,
        closing_amount=0,
    )


def test_it_is_added_up_once(payouts, django_assert_num_queries):
    composition_of(payouts[0])

    with django_assert_num_queries(0):
        composition_of(payouts[0])


def test_a_difference_is_explained_by_its_lines_the_newest_first(payouts):
    def explained(amount: int) -> list[list[int]]:
        found = explain_payout(payouts[0], amount)
        return [[line.amount for line in group] for group in found]

    assert explained(70) == [[70]]
    assert explained(90) == [[-100, 10]]
    assert explained(900) == [[-100, 1_000]]
    assert explained(430) == [[70, -40, 400]]
    assert explained(30) == []


def test_what_came_too_late_stands_in_the_next_statement(payouts):
    late = lines_too_late_for(payouts[0], 70)

    assert [[(line.amount, line.statement_id) for line in group] for group in late] == [
        [(70, payouts[1].statement_id)]
    ]
    assert lines_too_late_for(payouts[0], 500) == lines_too_late_for(payouts[1], 70) == []
    assert lines_too_late_for(payouts[0], 160) == []


def test_what_no_statement_has_gathered_yet_came_too_late_for_the_last_payout(api, merchant):
    credit(merchant, 300)
    assert api(merchant).post("/v1/payouts", {}).status_code == 201
    sell(merchant, 1_269, fee=150)
    credit(merchant, 1_000)
    credit(merchant, -40)
    [payout] = Payout.objects.all()

    def late(amount: int) -> list[list[tuple[int, int | None]]]:
        found = lines_too_late_for(payout, amount)
        return [[(line.amount, line.statement_id) for line in group] for group in found]

    assert late(1_000) == [[(1_000, None)]]
    assert late(1_250) == [[(-19, None), (1_269, None)]]
    assert late(2_269) == [[(1_000, None), (1_269, None)]]
    assert late(40) == [[(-40, None)]]  # more was paid out than the shop expected
    assert late(300) == []


def test_what_the_open_statement_has_gathered_comes_after_what_it_has_yet_to(api, merchant):
    credit(merchant, 300)
    assert api(merchant).post("/v1/payouts", {}).status_code == 201
    [payout] = Payout.objects.all()
    credit(merchant, 100)
    following = open_statement(payout.statement.account)
    gather(following)
    credit(merchant, 100)
    credit(merchant, 50)

    def late(amount: int) -> list[list[int | None]]:
        found = lines_too_late_for(payout, amount)
        return [[line.statement_id for line in group] for group in found]

    assert late(50) == [[None]]
    assert late(100) == [[None], [following.pk]]
    assert late(150) == [[None, following.pk]]


def test_what_is_gathered_while_it_is_looked_for_came_too_late_once(api, merchant, monkeypatch):
    credit(merchant, 300)
    assert api(merchant).post("/v1/payouts", {}).status_code == 201
    [payout] = Payout.objects.all()
    credit(merchant, 70)

    def gathered_after(account_id: int) -> list[StatementLine]:
        lines = lines_to_gather(account_id)
        gather(open_statement(payout.statement.account))
        return lines

    monkeypatch.setattr(composition, "lines_to_gather", gathered_after)
    [[late]] = lines_too_late_for(payout, 70)

    assert late.statement_id
    assert lines_too_late_for(payout, 140) == []


def test_what_came_too_late_for_one_merchant_is_not_in_a_statement_of_another(payouts):
    of_others = [payout for payout in payouts if payout.merchant_id != payouts[0].merchant_id]

    assert [len(lines_too_late_for(of_others[0], amount)) for amount in (160, 70)] == [1, 0]


def test_what_waits_is_not_said_of_a_payout_that_others_have_followed(api, merchant):
    for amount in (300, 500):
        credit(merchant, amount)
        assert api(merchant).post("/v1/payouts", {}).status_code == 201
    credit(merchant, 700)
    first, second = Payout.objects.order_by("created_at")

    assert lines_too_late_for(first, 700) == []
    assert len(lines_too_late_for(second, 700)) == 1
    # The payout that closed the next statement did not come too late for the one before.
    assert [[line.amount for line in group] for group in lines_too_late_for(first, 500)] == [[500]]


def test_of_equal_lines_the_newest_stands_first_whether_it_explains_or_came_too_late(api, merchant):
    credit(merchant, 100)
    api(merchant).post("/v1/payouts", {})
    for _ in range(2):
        credit(merchant, 70)
    api(merchant).post("/v1/payouts", {})
    first, second = Payout.objects.order_by("created_at")

    explained = [line.transfer_id for [line] in explain_payout(second, 70)[:2]]

    late = [line.transfer_id for [line] in lines_too_late_for(first, 70)]
    assert len(late) == 2
    assert late == explained == sorted(explained, reverse=True)


def test_of_many_that_came_too_late_those_next_to_the_payout_are_named(api, merchant, monkeypatch):
    monkeypatch.setattr("payouts.explaining.MOST_FOUND", 2)
    credit(merchant, 100)
    api(merchant).post("/v1/payouts", {})
    for _ in range(3):
        credit(merchant, 70)
    [payout] = Payout.objects.all()
    waiting = sorted(line.transfer_id for line in lines_to_gather(payout.statement.account_id))

    late = [line.transfer_id for [line] in lines_too_late_for(payout, 70)]

    assert late == [waiting[1], waiting[0]]


def test_each_kind_of_movement_stands_under_one_sum():
    names = {
        "payments": ("payment", "tip"),
        "fees": ("fee", "refund_fee"),
        "refunds": ("refund",),
        "adjustments": ("top_up", "adjustment"),
        "payouts": ("payout", "payout_paid"),
        "returned_payouts": ("payout_returned", "payout_reversed"),
    }
    assert {
        TransferKind(kind): f"{name}_amount" for name, kinds in names.items() for kind in kinds
    } == SUMS
