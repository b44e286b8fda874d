"""Which payouts and entries make up the difference between ledger and bank, and which do not"""

from datetime import UTC, datetime
from typing import Any

import pytest

from payouts.bank.position import position_in, positions
from payouts.models import Payout
from tests.payouts.bank_files import read, statement
from tests.payouts.bank_rows import stored

Values = dict[str, Any]
START, BEFORE, NOW = "2020-01-01T00:00Z", "2019-12-31T23:59:59Z", "2026-01-19T00:00Z"
PAID = {"status": "paid", "paid_at": START}
RETURNED = {"status": "returned", "paid_at": START, "returned_at": NOW, "failure_code": "x"}
FAILED = {"status": "failed", "failed_at": NOW, "failure_code": "x"}
BOOKED, BACK = {"booked_at": NOW}, {"return_booked_at": NOW}
NOT_BOOKED, AWAY = "paid, not booked yet", "returned, the return not booked yet"
EARLY = "return booked, the payout not yet"
WITH_RUN = "refused but booked with its run, the return not booked yet"
WITHOUT_RUN = "refused, the return booked but not the run"

OF_PAYOUTS: list[tuple[Values, str, int]] = [
    ({}, "", 0),
    (PAID, NOT_BOOKED, 1_250),
    (PAID | {"paid_at": BEFORE}, "", 0),
    (PAID | BOOKED, "", 0),
    (RETURNED, "", 0),
    (RETURNED | BOOKED, AWAY, -1_250),
    (RETURNED | BOOKED | {"paid_at": BEFORE}, AWAY, -1_250),
    (RETURNED | BACK, EARLY, 1_250),
    (RETURNED | BACK | {"paid_at": BEFORE}, "", 0),
    (RETURNED | BOOKED | BACK, "", 0),
    (FAILED, "", 0),
    (FAILED | BOOKED, WITH_RUN, -1_250),
    (FAILED | BACK, WITHOUT_RUN, 1_250),
    (FAILED | BOOKED | BACK, "", 0),
    *((PAID | other, "", 0) for other in ({"currency": "USD"}, {"livemode": False})),
]


def parts() -> list[tuple[str, int, int]]:
    [position] = positions(livemode=True)
    assert position.difference == sum(part.amount for part in position.parts)
    return [(part.words, part.count, part.amount) for part in position.parts]


@pytest.mark.parametrize(("values", "words", "amount"), OF_PAYOUTS)
def test_a_payout_is_open_until_both_know_of_it(
    sent_pair: list[Payout], values: Values, words: str, amount: int
) -> None:
    read(statement())

    Payout.objects.filter(pk=sent_pair[0].pk).update(**values)

    assert parts() == ([(words, 1, amount)] if words else [])


LEFT, CAME = "booked, not matched yet", "came in, not matched yet"
OF_ENTRIES: list[tuple[Values, str, int]] = [
    ({}, LEFT, -800),
    ({"kind": "credit"}, CAME, 800),
    ({"kind": "return"}, CAME, 800),
    ({"source": "notification"}, "", 0),
    ({"livemode": False}, "", 0),
    ({"currency": "USD"}, "", 0),
    ({"credited_to": "top_1", "kind": "credit"}, "", 0),
]


@pytest.mark.parametrize(("values", "words", "amount"), OF_ENTRIES)
def test_an_entry_is_open_until_it_is_explained(
    sent_pair: list[Payout], values: Values, words: str, amount: int
) -> None:
    read(statement(message_id="M-0"))

    stored(**values)

    assert parts() == ([(words, 1, amount)] if words else [])


def test_the_oldest_of_several_comes_first(sent_pair: list[Payout]) -> None:
    read(statement())
    for payout, day in zip(sent_pair, (20, 19), strict=True):
        Payout.objects.filter(pk=payout.pk).update(status="paid", paid_at=f"2026-01-{day}T00:00Z")

    [position] = positions(livemode=True)

    [part] = position.parts
    assert (part.count, part.amount) == (2, 2_050)
    assert part.oldest == datetime(2026, 1, 19, tzinfo=UTC)
    assert list(part.rows) == sent_pair[::-1]


def test_there_is_one_for_each_currency_and_mode_with_a_statement(sent_pair: list[Payout]) -> None:
    assert position_in("BSD", livemode=True) is None
    read(statement(currency="USD", message_id="M-1"))
    read(statement(currency="EUR", message_id="M-2"), livemode=False)
    assert position_in("BSD", livemode=True) is None
    assert position_in("USD", livemode=False) is None
    read(statement(message_id="M-3"))

    assert [each.currency for each in positions(livemode=True)] == ["BSD", "USD"]
    assert [each.currency for each in positions(livemode=False)] == ["EUR"]


def test_it_goes_back_to_the_start_of_the_first_statement(sent_pair: list[Payout]) -> None:
    read(statement(start="2026-01-19T00:00:00Z", number="2", message_id="M-2"))
    Payout.objects.filter(pk=sent_pair[0].pk).update(status="paid", paid_at=START)
    for currency, livemode in (("USD", True), ("BSD", False)):
        content = statement(currency=currency, message_id=f"M-{currency}")
        read(content, livemode=livemode)
    assert words_in("BSD") == []

    read(statement(number="1", message_id="M-1", end="2026-01-19T00:00:00Z"))

    assert words_in("BSD") == [NOT_BOOKED]


def words_in(currency: str) -> list[str]:
    """Return the parts of a currency's difference, the same in the list of all and alone."""
    [listed] = [each for each in positions(livemode=True) if each.currency == currency]
    alone = position_in(currency, livemode=True)
    words, alone_words = ([part.words for part in it.parts] if it else [] for it in (listed, alone))
    assert words == alone_words
    return words
