"""docs/a-day.md is true: each call on it is made, each figure on it is what the service answers."""

import re

import pytest
import time_machine

from tests.clone import ROOT
from tests.day.page import DaySection, Part, read
from tests.day.runner import DayRunner
from tests.ledger.funding import problems
from tests.nights import at_night

PAGE = (ROOT / "docs/a-day.md").read_text()
ACTS = {
    "http": DayRunner.http,
    "console": DayRunner.console,
    "sh": DayRunner.sh,
    "xml": DayRunner.xml,
    "task": DayRunner.task,
    "customer": DayRunner.customer,
    "mail to": DayRunner.mail_to,
    "element of payouts.xml": DayRunner.element_of,
    "account": DayRunner.balance,
}


@pytest.fixture
def day(db, settings, monkeypatch, tmp_path) -> DayRunner:
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    return DayRunner(settings, monkeypatch, tmp_path)


def live(day: DayRunner, page: str) -> None:
    """Go through the page from the first hour to the last."""
    [table], sections = read(page)
    assert [row["when"] for row in table.rows] == [section.name for section in sections]
    for row, section in zip(table.rows, sections, strict=True):
        with time_machine.travel(section.at, tick=False):
            spend(day, section)
            expected = {name: row[name] for name in ("available", "pending", "in_transit", "fees")}
            assert day.standing() == expected, section.name


def spend(day: DayRunner, section: DaySection) -> None:
    """Do what a section says, then account for all that it wrote."""
    for part in section.parts:
        if part.kind in ACTS:
            ACTS[part.kind](day, part)
    day.movements([row for part in of(section, "from") for row in part.rows])
    day.events(
        [name for part in of(section, "events") for name in re.findall(r"[\w.]+", part.text)]
    )


def of(section: DaySection, kind: str) -> list[Part]:
    return [part for part in section.parts if part.kind == kind]


def test_every_part_of_the_page_is_executed() -> None:
    _, sections = read(PAGE)
    kinds = {part.kind for section in sections for part in section.parts}

    assert kinds == {*ACTS, "from", "events"}
    assert PAGE.count("```") == 2 * sum(
        part.kind in ("http", "console", "sh", "xml")
        for section in sections
        for part in section.parts
    )


@pytest.mark.slow
def test_the_day_is_as_the_page_tells_it(day) -> None:
    live(day, PAGE)

    assert problems() == []


STRICTNESS = "only a change of how the page is read breaks it; by day a table, an answer and a file"


# Whether the reading of the page is strict is the same on both databases.
@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("told", "lie"),
    [
        ("| 7341 | 0 | 0 | 189 |", "| 7342 | 0 | 0 | 189 |"),
        ('"fee_returned": 38', '"fee_returned": 37'),
        (">7.70</Amt>", ">7.71</Amt>"),
        *at_night(
            ("| 146 | 0 | 4904 | 130 |", "| 146 | 0 | 4904 | 131 |"),
            ("| balance | fees | 63 | fee |", "| balance | fees | 62 | fee |"),
            ('"arrival_date": "2026-11-23"', '"arrival_date": "2026-11-21"'),
            ('"movements_count": 6', '"movements_count": 7'),
            ("49.04,4904,", "49.04,4940,"),
            ("CtrlSum | 7.70", "CtrlSum | 7.71"),
            ("| | PIN | Paid |", "| | | Paid |"),
            ("Receipt: B$50.00", "Receipt: B$51.00"),
            ("Events: `payout.paid`.", "Events: `payout.failed`."),
            ("| Ben's wallet | 5000 |", "| Ben's wallet | 5001 |"),
            ("25 transfers", "26 transfers"),
            ("<TxSts>ACSP<", "<TxSts>ACSC<"),
            ("<Cd>AC04</Cd>", "<Cd>AC01</Cd>"),
            ('"matched": 3', '"matched": 2'),
            why=STRICTNESS,
        ),
    ],
)
def test_a_wrong_figure_is_found(day, told, lie) -> None:
    assert told in PAGE

    with pytest.raises(AssertionError):
        live(day, PAGE.replace(told, lie, 1))
