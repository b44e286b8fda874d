"""What stands below a short timeline, so that the page has no gap."""

import pytest

from backoffice.page_parts import Section, Table, TimelineEntry
from backoffice.pages.detail import _placed
from core.clock import utc_now

WIDE = Table("Payments", "abcde", [["1"] * 5])
EMPTY = Table("Refunds", "abcde", [])


def facts(title: str, count: int) -> Section:
    return Section(title, [("fact", "what it says")] * count)


@pytest.mark.parametrize(
    ("moments", "counts", "tables", "beside"),
    [
        (1, (9, 6), [WIDE], ["1"]),
        (1, (9, 6), [WIDE, EMPTY, EMPTY, EMPTY], []),  # those without rows fill it
        (4, (9, 6), [WIDE], []),  # and so do moments
        (1, (3, 1, 20), [WIDE], []),  # it would be a gap on the other side
        (1, (20, 1), [WIDE], []),  # the gap would stay
        (1, (20,), [WIDE], []),
        (9, (40, 6), [WIDE], []),  # no short timeline
        (0, (40, 6), [WIDE], []),
    ],
)
def test_the_last_facts_fill_a_gap(
    moments: int, counts: tuple[int, ...], tables: list[Table], beside: list[str]
) -> None:
    sections = [facts(str(number), count) for number, count in enumerate(counts)]
    timeline = [TimelineEntry(utc_now(), "add_circle", "Created")] * moments

    placed = _placed(sections, tables, timeline)

    assert [each.title for each in placed["sections_beside"]] == beside
    assert placed["sections"] + placed["sections_beside"] == sections
    assert WIDE in placed["tables"]
