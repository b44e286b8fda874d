"""The page as sections, each an instant and what is to be done and seen then, in order."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

NASSAU = ZoneInfo("America/Nassau")
YEAR = 2026
HEADING = re.compile(r"^## (\w+ \d+ \w+, \d\d:\d\d) · .+$", re.MULTILINE)
PART = re.compile(
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```$"
    r"|(?P<table>(?:^\|[^\n]*\|\n)+)"
    r"|\*\*(?P<task>[\w' -]+)\*\*"
    r"|^Events: (?P<events>.+?)\.$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Part:
    """One thing on the page. `kind`: http, console, sh, xml, task, events, a table's first cell."""

    kind: str
    text: str = ""
    rows: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class DaySection:
    """What happens at one instant."""

    at: datetime
    parts: list[Part]

    @property
    def name(self) -> str:
        """As the table of the whole day calls it."""
        return self.at.strftime("%a %H:%M")


def read(page: str) -> tuple[list[Part], list[DaySection]]:
    """Return what stands before the first section, and the sections."""
    before, *rest = HEADING.split(page)
    pairs = zip(rest[::2], rest[1::2], strict=True)
    return _parts(before), [DaySection(_instant(when), _parts(text)) for when, text in pairs]


def _instant(when: str) -> datetime:
    parsed = datetime.strptime(f"{when} {YEAR}", "%A %d %B, %H:%M %Y")  # noqa: DTZ007
    assert parsed.strftime("%A") == when.split()[0], f"{when} is a {parsed:%A}"
    return parsed.replace(tzinfo=NASSAU)


def _parts(text: str) -> list[Part]:
    return [_part(found.groupdict()) for found in PART.finditer(text)]


def _part(found: dict[str, str | None]) -> Part:
    if table := found["table"]:
        rows = _rows(table)
        return Part(next(iter(rows[0])), rows=rows)
    for kind in ("task", "events"):
        if text := found[kind]:
            return Part(kind, text)
    return Part(found["language"] or "", found["code"] or "")


def _rows(table: str) -> list[dict[str, str]]:
    head, _, *lines = [_cells(line) for line in table.splitlines()]
    return [dict(zip(head, line, strict=True)) for line in lines]


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]
