"""`docs/privacy.md` promises the periods that the tasks keep to, and no others."""

import re

from core.retention import PERIODS
from tests.source_tree import ROOT

ROW = re.compile(
    r"^\| (?P<what>[^|]+) \|[^|]+\|[^|]+\| (?P<days>\d+) days?\b[^|]*\|$", re.MULTILINE
)


def test_the_document_has_every_period_as_it_is() -> None:
    promised = {
        row["what"]: int(row["days"])
        for row in ROW.finditer((ROOT / "docs/privacy.md").read_text())
    }

    assert promised == {what: period.days for what, period in PERIODS.items()}
    assert all(period.seconds == 0 for period in PERIODS.values())
