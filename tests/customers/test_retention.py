"""What proved something once is deleted when it can prove nothing any more."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core import retention
from core.attempt_limits import AttemptLimit, count_attempt
from core.models import Quota
from customers.models import Customer, CustomerSession, Passkey, PasskeyChallenge, SignInCode
from customers.passkeys import begin_confirmation
from customers.retention import delete_expired
from customers.tasks import forget_expired_proofs
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.customers.texts import TextBox, ask

pytestmark = pytest.mark.django_db

ONE = AttemptLimit("one", 1, timedelta(minutes=5))


def test_it_deletes_what_ended_a_day_ago_and_sessions_after_a_month(
    texts: TextBox, tester: Customer, now: datetime
) -> None:
    session = proven(tester, now)
    passkey = enrol(session, VirtualAuthenticator(), now)
    begin_confirmation(session=session, now=now)
    ask(now, phone=tester.phone, livemode=False)
    count_attempt(ONE, "a", now=now)

    def left(instant: datetime) -> list[int]:
        delete_expired(now=instant)
        kinds = (SignInCode, PasskeyChallenge, Quota, CustomerSession)
        return [kind.objects.count() for kind in kinds]

    day = timedelta(days=1)
    assert left(now + day) == [1, 2, 1, 1]
    assert left(now + day + timedelta(minutes=11)) == [0, 0, 0, 1]
    assert left(now + timedelta(days=30)) == [0, 0, 0, 1]
    assert left(now + timedelta(days=31)) == [0, 0, 0, 0]
    assert list(Passkey.objects.all()) == [passkey]
    assert list(Customer.objects.all()) == [tester]


def test_it_works_through_more_than_a_batch(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    for subject in "abcde":
        count_attempt(ONE, subject, now=now - timedelta(days=2))

    with CaptureQueriesContext(connection) as sent:
        assert forget_expired_proofs() == 5
    batches = [it["sql"] for it in sent.captured_queries if "core_quota" in it["sql"]]
    assert len(batches) == 3  # no keys are read first, to be sent back
    assert all("ORDER BY" in sql and "ends_at" in sql for sql in batches)
    assert forget_expired_proofs() == 0
