"""When a session of staff was last seen, and when it ends, to the second"""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django import Settings

from backoffice import middleware
from backoffice.middleware import _end_late_session

NOW = datetime(2026, 3, 18, 15, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("seen", "since", "ends", "noted"),
    [
        (0, 0, False, False),
        (29, 29, False, False),
        (30, 30, False, True),
        (899, 899, False, True),
        (900, 900, True, False),
        (29, 28_799, False, False),
        (29, 28_800, True, False),
        (None, None, False, True),
    ],
)
def test_it_is_noted_every_half_minute_and_ends_when_idle_or_old(
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    seen: int | None,
    since: int | None,
    ends: bool,
    noted: bool,
) -> None:
    settings.STAFF_IDLE_SECONDS, settings.STAFF_SESSION_SECONDS = 900, 28_800
    ended: list[Any] = []
    monkeypatch.setattr(middleware, "logout", ended.append)
    given = {"staff_seen": seen, "staff_since": since}
    session = {
        name: (NOW - ago * SECOND).isoformat() for name, ago in given.items() if ago is not None
    }
    before = dict(session)
    request: Any = SimpleNamespace(user=SimpleNamespace(is_authenticated=True), session=session)

    _end_late_session(request, NOW)

    assert bool(ended) is ends
    assert (session.get("staff_seen") == NOW.isoformat()) is (noted or seen == 0)
    assert (session != before) is noted
    if since is not None:
        assert session["staff_since"] == before["staff_since"]
