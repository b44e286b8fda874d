"""Every link on a page leads somewhere that its reader may open: all roles, all pages."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.db.models import Model
from django.template.response import TemplateResponse
from django.test import Client

from backoffice.audit import AuditAction, audited
from backoffice.models import AuditEntry, ExportRun, Instruction
from backoffice.registry import ADMINS
from backoffice.registry import office as site
from backoffice.resource.catalog import CATALOG
from backoffice.resource.page_urls import list_of, page_of
from backoffice.roles import Right, Role
from backoffice.services.instruction_kinds import ADD_STAFF, PAYOUT_FAILURE
from backoffice.services.instructions import InstructionRequest, instruct
from core.clock import utc_now
from core.ids import new_id
from merchants.models import Merchant
from messages.models import Channel
from messages.planning import plan_message
from payouts.bank_accounts import BankDetails, open_bank_account
from payouts.models import BankAccount, Payout
from tests.backoffice.conftest import Office, make_user, staff_as
from tests.backoffice.searching import search
from tests.nights import at_night
from webhooks.event_types import EventType
from webhooks.models import Delivery, Event

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

Rows = dict[type[Model], Model]
OTHERS = tuple(role for role in Role if role is not Role.DEVELOPER)
LEAST_HIDDEN = "most is hidden from developers; less from this role, by the same declarations"
_HREF = re.compile(r'href="([^"]*)"')
DETAILS = BankDetails("BSD", "Shop", "Reef Bank", "123 456 789", clearing_code="77005")


def requested(task: str, subject_id: str, role: Role, **more: Any) -> Instruction:
    values: dict[str, Any] = {
        "task": task,
        "subject_id": subject_id,
        "merchant_id": "",
        "livemode": True,
        "amount": 0,
        "currency": "BSD",
        "reason": "As agreed",
        "note": "",
        "form_key": new_id("form", utc_now()),
    }
    request = InstructionRequest(**(values | more))
    return instruct(staff=staff_as(role, f"first.{role.lower()}"), request=request, now=utc_now())


@pytest.fixture
def pointing(rows: Rows) -> None:
    """Messages and audit entries about a row of each kind, and what else points far away."""
    make_user(Role.ADMINISTRATOR)
    now, merchant, payout = utc_now(), rows[Merchant], rows[Payout]
    new = {"roles": Role.VIEWER.value, "email": "new@office.example"}
    of_staff = requested(ADD_STAFF, "new.colleague", Role.ADMINISTRATOR, arguments=new)
    requested(
        PAYOUT_FAILURE,
        payout.pk,
        Role.FINANCE,
        merchant_id=merchant.pk,
        livemode=False,
        amount=payout.amount,  # type: ignore[attr-defined]  # a payout's
        arguments={"code": "AC04", "message": "Closed."},
    )
    old, new_one = (
        open_bank_account(
            merchant_id=merchant.pk, livemode=True, details=DETAILS, actor="key:x", now=now
        )
        for _ in range(2)
    )
    BankAccount.objects.filter(pk=new_one.pk).update(is_pending=True)
    BankAccount.objects.filter(pk=old.pk).update(closed_at=None, closed_by="")
    auditor = staff_as(Role.ADMINISTRATOR)
    for row in (*rows.values(), of_staff):
        plan_message(
            channel=Channel.EMAIL,
            kind="staff_decision",
            recipient="pat@example.com",
            about=str(row.pk),
            livemode=False,
            text="It was approved.",
            now=now,
        )
        action = AuditAction("look", Right.VIEW_TRADE, "row", str(row.pk))
        with audited(staff=auditor, action=action, now=now):
            pass


def links_on(browser: Client, page: str) -> Iterator[str]:
    """Yield the paths that a page links to, in the back office."""
    response = browser.get(page)
    assert response.status_code == 200, page
    for href in _HREF.findall(response.content.decode()):
        target = urlsplit(urljoin(page, unescape(href)))
        if target.path.startswith("/admin/") and "/logout/" not in target.path:
            yield target.path


@pytest.mark.night_on_postgres("where links lead is declared once for both databases")
@pytest.mark.parametrize("role", [Role.DEVELOPER, *at_night(*OTHERS, why=LEAST_HIDDEN)])
def test_no_link_is_refused(
    rows: Rows, pointing: None, office: Office, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, staff = office(role), staff_as(role)
    found = dict.fromkeys(links_on(browser, "/admin/?mode=test"), "/admin/")
    for model, entry in CATALOG.items():
        if not staff.may(entry.right):
            continue
        seen = entry.rows_seen(model._default_manager.all(), staff)
        has_mode = any(each.parameter_name == "mode" for each in ADMINS[model].list_filter)
        whole_list = list_of(model, **({"mode": "both"} if has_mode else {}))
        for page in (whole_list, *map(page_of, seen)):
            found |= dict.fromkeys(links_on(browser, page), page)
    monkeypatch.setattr(TemplateResponse, "rendered_content", "")
    monkeypatch.setattr(site, "each_context", lambda request: {})

    statuses = {(path, page): browser.get(path).status_code for path, page in found.items()}

    assert len(statuses) > 2 * len(ADMINS)
    assert {where: status for where, status in statuses.items() if status in (403, 404)} == {}


def test_what_was_deleted_after_its_time_is_named_without_a_link(
    rows: Rows, pointing: None, office: Office
) -> None:
    delivery = rows[Delivery]
    browser, trail = office(Role.ADMINISTRATOR), list_of(AuditEntry, subject=delivery.pk)
    assert page_of(delivery) in links_on(browser, trail)
    Delivery.objects.filter(pk=delivery.pk).delete()

    assert page_of(delivery) not in links_on(browser, trail)
    assert delivery.pk[-6:] in browser.get(trail).content.decode()
    assert "are deleted after a while" in browser.get(page_of(delivery)).content.decode()


def test_a_developer_reads_of_payouts_and_opens_none(rows: Rows, office: Office) -> None:
    payout = rows[Payout]
    event = Event.objects.get(resource_id=payout.pk, type=EventType.PAYOUT_CREATED)
    links = {
        role: list(links_on(office(role), page_of(event)))
        for role in (Role.DEVELOPER, Role.SUPPORT)
    }

    assert page_of(payout) in links[Role.SUPPORT]
    assert page_of(payout) not in links[Role.DEVELOPER]
    assert payout.pk in office(Role.DEVELOPER).get(page_of(event)).content.decode()


def test_a_search_leads_to_no_page_that_is_refused(
    rows: Rows, pointing: None, office: Office
) -> None:
    of_staff = Instruction.objects.get(task=ADD_STAFF)

    assert "Pass the call on" in search(office, of_staff.pk, Role.FINANCE)
    assert "Pass the call on" in search(office, rows[ExportRun].pk, Role.FINANCE)
    assert search(office, of_staff.pk, Role.ADMINISTRATOR) == page_of(of_staff)
    assert search(office, rows[ExportRun].pk, Role.ADMINISTRATOR) == page_of(rows[ExportRun])
