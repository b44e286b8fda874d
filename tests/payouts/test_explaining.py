"""What a difference can be made of: alone, of one transaction, or two together."""

import pytest

from payouts.explaining import MOST_FOUND, ExplainedLine, explain


def lines(*values: tuple[str, int]) -> list[ExplainedLine]:
    return [ExplainedLine(number, name, amount) for number, (name, amount) in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "amount", "found"),
    [
        ([("a", -1_250), ("b", 990)], 1_250, [[0]]),
        ([("a", 1_250)], 1_250, [[0]]),
        # A refund of 12.69 whose fee of 0.19 came back.
        ([("a", 19), ("a", -1_269), ("b", 500)], 1_250, [[0, 1]]),
        ([("a", -700), ("b", 3_000), ("c", -550)], 1_250, [[0, 2]]),
        ([("a", 700), ("b", 550)], 1_250, [[0, 1]]),
        # Two refunds, to each of which a part of the fee came back.
        ([("a", -450), ("a", 7), ("b", -800), ("b", 12)], 1_250, [[0, 2]]),
        # A payment with a tip, less its fee.
        ([("a", 1_000), ("a", 250), ("a", -19)], 1_250, [[0, 1]]),
        # What goes out and what comes in do not make up a sum together.
        ([("a", 1_300), ("b", -50)], 1_250, []),
        ([("a", -625), ("b", -625)], 1_250, [[0, 1]]),
        ([("a", -625)], 1_250, []),
        ([("a", 5), ("a", -5), ("b", 1_250)], 1_250, [[2]]),
        ([("a", 1), ("b", 1_249)], 1_250, [[0, 1]]),
        ([("a", -1), ("b", -1_249)], 1_250, [[0, 1]]),
        ([("a", 1), ("a", 2), ("b", 1_247)], 1_250, [[0, 1, 2]]),
        ([("a", 625), ("b", 625), ("c", 625)], 1_250, [[0, 1], [0, 2]]),
        ([], 1_250, []),
    ],
)
def test_it_finds_what_makes_up_the_amount(
    values: list[tuple[str, int]], amount: int, found: list[list[int]]
) -> None:
    explained = explain(lines(*values), amount)

    assert [[each.transfer_id for each in group] for group in explained] == found


def test_nothing_is_found_twice_on_the_way_to_the_tenth() -> None:
    singles = [(f"s{number}", -1_250) for number in range(6)]

    explained = explain(lines(*singles, ("a", -625), ("b", -625)), 1_250)

    assert [len(group) for group in explained] == [1, 1, 1, 1, 1, 1, 2]


def test_what_went_out_stands_first() -> None:
    explained = explain(lines(("a", 1_250), ("b", -1_250)), 1_250)

    assert [group[0].amount for group in explained] == [-1_250, 1_250]


def test_there_are_ten_answers_at_most() -> None:
    assert len(explain(lines(*((str(n), -1_250) for n in range(50))), 1_250)) == MOST_FOUND
