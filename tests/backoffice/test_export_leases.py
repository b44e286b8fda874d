"""Two workers at one export: who was followed by another stores nothing, and tells no one."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from backoffice.models import ExportForm, ExportPart, ExportRun
from backoffice.roles import Role
from backoffice.services.exports import ExportNotReady, ExportRefused, make_due, start_export
from core.clock import utc_now
from messages.models import Message
from tests.backoffice.conftest import staff_as

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> ExportRun:
    return ask()


def ask() -> ExportRun:
    run = start_export(
        staff=staff_as(Role.FINANCE),
        resource="payments.payment",
        query="",
        form=ExportForm.CSV,
        name="payments.csv",
        now=utc_now(),
    )
    User.objects.filter(username="finance").update(email="finance@office.example")
    return run


def test_one_that_another_worker_took_meanwhile_is_left_to_it(run: ExportRun) -> None:
    other, now, begun = ask(), utc_now(), list[str]()

    def take_the_other(run: ExportRun) -> bytes:
        begun.append(run.pk)
        ExportRun.objects.filter(pk=other.pk).update(lease_until=now + timedelta(minutes=5))
        raise ExportNotReady

    assert make_due(content_of=take_the_other, now=now) == 0

    other.refresh_from_db()
    assert (begun, other.state, other.attempts) == ([run.pk], "pending", 0)


@pytest.mark.parametrize("end", ["made", "refused"])
def test_who_was_followed_by_another_stores_nothing(run: ExportRun, end: str) -> None:
    now = utc_now()

    def be_followed(run: ExportRun) -> bytes:
        ExportRun.objects.update(lease_until=now + timedelta(minutes=9), attempts=2)
        if end == "refused":
            raise ExportRefused("There is no such list.")
        return b"late"

    assert make_due(content_of=be_followed, now=now) == 0

    run.refresh_from_db()
    assert (run.state, run.attempts, run.error) == ("pending", 2, "")
    assert not ExportPart.objects.exists()
    assert not Message.objects.exists()
