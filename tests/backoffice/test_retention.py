"""How staff signed in, and from where, is deleted after its period; sessions when they end."""

from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt, AccessLog
from django.contrib.sessions.models import Session

from backoffice.retention import delete_old_sign_ins
from backoffice.tasks import forget_sign_ins
from core.clock import utc_now
from core.retention import PERIODS
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db
PERIOD = PERIODS["staff sign-ins"]


@pytest.mark.parametrize(
    ("kind", "more"), [(AccessLog, {}), (AccessAttempt, {"failures_since_start": 1})]
)
def test_it_deletes_what_is_older_than_its_period(kind: Any, more: dict[str, int]) -> None:
    now = utc_now()
    for username in ("ada", "bob"):
        kind.objects.create(username=username, ip_address="192.0.2.7", user_agent="Me", **more)
    kind.objects.filter(username="bob").update(attempt_time=now - PERIOD - timedelta(seconds=1))

    assert delete_old_sign_ins(now=now) == 1
    assert [row.username for row in kind.objects.all()] == ["ada"]


@pytest.mark.each_on_postgres(ITS_OWN)
def test_it_deletes_sessions_that_have_ended() -> None:
    now = utc_now()
    ends = {"ended": now - timedelta(seconds=1), "open": now + timedelta(hours=1)}
    for key, expire_date in ends.items():
        Session.objects.create(session_key=key, session_data="", expire_date=expire_date)

    assert forget_sign_ins() == 1
    assert Session.objects.get().session_key == "open"
