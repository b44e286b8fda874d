"""Whether the past of the database is in doubt: all that is noted of it, in one row"""

from datetime import datetime

import pytest

from core.clock import utc_now
from payouts.continuity import confirm, database_identity, is_shut, refuse_after_restore, shut
from payouts.errors import PayoutsShut
from payouts.models import Continuity

pytestmark = pytest.mark.django_db


def noted() -> tuple[object, ...]:
    columns = ("pk", "identity", "confirmed_at", "confirmed_by", "shut_at", "shut_by")
    return tuple(Continuity.objects.values_list(*columns).get())


@pytest.fixture
def times() -> list[datetime]:
    return [utc_now() for _ in range(4)]


def test_the_first_call_trusts_it(times):
    assert is_shut(now=times[0]) is is_shut(now=times[1]) is False
    refuse_after_restore(now=times[2])

    assert noted() == (1, database_identity(), times[0], "system", None, "")


def test_it_is_shut_until_someone_confirms(times):
    shut(actor="staff:ann", now=times[0])
    before = (1, database_identity(), times[0], "system")
    assert noted() == (*before, times[0], "staff:ann")
    shut(actor="staff:bob", now=times[1])
    assert noted() == (*before, times[1], "staff:bob")
    with pytest.raises(PayoutsShut):
        refuse_after_restore(now=times[2])

    confirm(actor="staff:cat", now=times[3])

    assert noted() == (1, database_identity(), times[3], "staff:cat", None, "")
    assert is_shut(now=times[3]) is False


def test_another_database_is_not_trusted(times):
    is_shut(now=times[0])
    Continuity.objects.update(identity="another")

    assert is_shut(now=times[1]) is True
    confirm(actor="staff:ann", now=times[2])
    assert is_shut(now=times[3]) is False
