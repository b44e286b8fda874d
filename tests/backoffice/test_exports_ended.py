"""An export of someone whose account or role ends before it is there: nothing of it leaves."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest

from backoffice.errors import Forbidden
from backoffice.export_sources import content_of
from backoffice.models import AuditEntry, ExportForm, ExportPart, ExportRun
from backoffice.resource import paginator
from backoffice.roles import Role
from backoffice.services.accounts import give_roles
from backoffice.services.exports import make_due, note_download, start_export
from backoffice.sheets import Worksheet
from backoffice.staff import Staff, staff_of
from backoffice.statement_files import STATEMENT_FILE
from core.clock import utc_now
from merchants.models import Merchant
from messages.models import Message
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.ended_accounts import End, close, demote, reset
from tests.backoffice.rows import paid_payment
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db
PAYMENTS = "/admin/payments/payment/"


@pytest.fixture
def thief() -> Staff:
    thief = staff_as(Role.FINANCE, "mallory")
    User.objects.filter(pk=thief.user_id).update(email="mallory@office.example")
    return thief


def asked(thief: Staff, resource: str = "payments.payment") -> ExportRun:
    return start_export(
        staff=thief, resource=resource, query="", form=ExportForm.CSV, name="x.csv", now=utc_now()
    )


def last_entry() -> tuple[str, str, str]:
    last = AuditEntry.objects.latest("sequence")
    return last.actor, last.act, last.outcome


@pytest.mark.parametrize("end", [close, demote, reset])
@pytest.mark.parametrize("is_long", [False, True])
def test_it_does_not_leave_at_once(
    office: Office,
    merchant: Merchant,
    thief: Staff,
    monkeypatch: pytest.MonkeyPatch,
    end: End,
    is_long: bool,
) -> None:
    for _ in range(2):
        paid_payment(merchant)
    if is_long:
        monkeypatch.setattr(paginator, "COUNTED", 1)
    browser = office(Role.FINANCE, "mallory")

    def slowly(request: HttpRequest) -> Staff:
        staff = staff_of(request)
        end(staff)
        return staff

    monkeypatch.setattr("backoffice.pages.export.staff_of", slowly)

    answer = browser.get(f"{PAYMENTS}export/csv/?mode=test")

    assert answer.status_code == 403
    assert merchant.name not in answer.content.decode()
    assert not ExportRun.objects.exists()
    assert last_entry() == ("mallory", "export", "refused")


@pytest.mark.parametrize("end", [close, demote])
def test_one_that_is_being_made_is_not_stored(merchant: Merchant, thief: Staff, end: End) -> None:
    run = asked(thief)

    def slowly(run: ExportRun) -> Worksheet | bytes:
        made = content_of(run)
        end(thief)
        return made

    assert make_due(content_of=slowly, now=utc_now()) == 0

    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "The requester may not export this any more.")
    assert not ExportPart.objects.exists()
    assert Message.objects.get(kind="staff_export").subject.endswith("your export failed")


@pytest.mark.parametrize("end", [close, demote])
@pytest.mark.parametrize("resource", ["payments.payment", STATEMENT_FILE])
def test_one_that_waits_is_not_made(thief: Staff, end: End, resource: str) -> None:
    run = asked(thief, resource)
    end(thief)

    def never(run: ExportRun) -> Any:
        raise AssertionError

    assert make_due(content_of=never, now=utc_now()) == 0

    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "The requester may not export this any more.")


@pytest.mark.parametrize("end", [close, demote, reset])
def test_one_that_is_ready_is_not_handed_out(merchant: Merchant, thief: Staff, end: End) -> None:
    run = asked(thief)
    make_due(content_of=content_of, now=utc_now())
    end(thief)

    with pytest.raises(Forbidden):
        note_download(staff=thief, run=run, now=utc_now())

    assert last_entry() == ("mallory", "download export", "refused")


@pytest.mark.each_on_postgres(ITS_OWN)
def test_its_list_is_asked_for_as_well(office: Office) -> None:
    """Of an Administrator who is of Finance by now: they export, and see no colleagues."""
    run = asked(staff_as(Role.ADMINISTRATOR, "ada"), "auth.user")
    make_due(content_of=content_of, now=utc_now())
    give_roles(User.objects.get(username="ada"), frozenset({Role.FINANCE}))

    answer = office(Role.FINANCE, "ada").get(f"/admin/backoffice/exportrun/{run.pk}/file/")

    assert answer.status_code == 403
    assert ExportPart.objects.filter(run=run).exists()
