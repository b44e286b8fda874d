"""How long each quick test took, kept from run to run in `var/tests`."""

import json
import os
from collections import defaultdict
from pathlib import Path

KEPT = Path(__file__).parent.parent / "var/tests/seconds-by-test.json"
# What takes no longer is run whenever the quick tests are.
SHORT_SECONDS = 0.1


def known_seconds() -> dict[str, float]:
    """Return the least that each test ever took: more was the machine's doing."""
    if not KEPT.exists():
        return {}
    known: dict[str, float] = json.loads(KEPT.read_text())
    return known


def seconds_by_file() -> dict[str, float]:
    """Return the sum of each file's tests."""
    sums: defaultdict[str, float] = defaultdict(float)
    for test, took in known_seconds().items():
        sums[test.partition("::")[0]] += took
    return dict(sums)


def keep_seconds(took: dict[str, float]) -> None:
    """Keep what these tests took where it is less than what is known."""
    known = known_seconds()
    least = {test: round(min(new, known.get(test, new)), 3) for test, new in took.items()}
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    unfinished = KEPT.with_suffix(f".{os.getpid()}")  # a run on the other database may end now, too
    unfinished.write_text(json.dumps(known | least))
    unfinished.replace(KEPT)
