"""What is read of each order and group that a status report speaks of"""

from collections.abc import Sequence
from typing import Any

import pytest

from payouts.bank.pain002 import DUPLICATES
from payouts.bank.reports import BankNames, ReportItem
from payouts.bank.storage import parse_bank_file
from payouts.models import BankEntryKind, PayoutBatch
from tests.payouts.bank_files import status_report

K = BankEntryKind
RUN = PayoutBatch(message_id="RUN")
KINDS = {
    **dict.fromkeys(("ACSC", "ACCC"), K.SETTLED),
    "RJCT": K.REJECTED,
    **dict.fromkeys(
        ("RCVD", "PDNG", "ACTC", "ACCP", "ACSP", "ACFC", "ACWC", "ACWP", "PATC"), K.PROCESSING
    ),
    **dict.fromkeys(("CANC", "BLCK", "acsc", ""), K.UNKNOWN),
}


def items_of(*orders: tuple[str, ...], **words: Any) -> Sequence[ReportItem]:
    return parse_bank_file(status_report(RUN, *orders, **words).encode()).report.items


@pytest.mark.parametrize("status", KINDS)
def test_each_status_is_news_of_one_kind(status: str) -> None:
    [item] = items_of(("E-1", status))

    assert item.kind == KINDS[status]
    assert item.message == (f"{status} " if item.kind == K.UNKNOWN else "")


@pytest.mark.parametrize("code", ["AM05", "DU01", "DU02", "DU03", "DU04", "DU05"])
def test_a_refusal_as_a_duplicate_is_known_by_its_code(code: str) -> None:
    reason = f"<Rsn><Cd>{code}</Cd></Rsn>"

    order, group = items_of(("E-1", "RJCT"), payment="RJCT", payment_reason=reason)

    assert len(DUPLICATES) == 6
    assert [order.code, group.code] == [code, code]


def test_an_order_has_its_place_its_name_and_that_of_its_run() -> None:
    why = "<Rsn><Prtry>X1</Prtry></Rsn><AddtlInf>No.</AddtlInf>"

    first, second = items_of(("E-1", "RJCT", "12.50"), ("NOTPROVIDED", "ACSP"), reason=why)

    assert first == ReportItem(
        identity=("S-1", "order", "0"),
        kind=K.REJECTED,
        amount=1_250,
        currency="BSD",
        end_to_end_id="E-1",
        message_reference="RUN",
        names=BankNames(),
        code="X1",
        message="No.",
    )
    assert (second.identity, second.message_reference) == (("S-1", "order", "1"), "")
    assert (second.amount, second.currency, second.end_to_end_id) == (None, "", "")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ({"group": "ACSC"}, [(("S-1", "group"), "settled")]),
        ({"payment": "RJCT"}, [(("S-1", "payment", "0"), "rejected")]),
        ({"group": "ACSC", "payment": "RJCT"}, [(("S-1", "payment", "0"), "rejected")]),
        ({"group": "ACSC", "payment": "PART"}, [(("S-1", "group"), "settled")]),
        ({"group": "PART", "payment": "PART"}, []),
        ({}, []),
    ],
)
def test_the_nearest_group_speaks_for_the_rest(
    words: dict[str, str], found: list[tuple[tuple[str, ...], str]]
) -> None:
    items = items_of(**words)

    assert [(item.identity, item.kind) for item in items] == found
    assert {item.message_reference for item in items} <= {"RUN"}


def test_the_nearest_reasons_count_whole() -> None:
    """The order has a code alone: the words of its group are about the group."""
    [order, _] = items_of(
        ("E-1", "RJCT"),
        payment="RJCT",
        reason="<Rsn><Cd>AC04</Cd></Rsn>",
        payment_reason="<Rsn><Cd>AC06</Cd></Rsn><AddtlInf>Blocked</AddtlInf>",
    )

    assert (order.code, order.message) == ("AC04", "")
