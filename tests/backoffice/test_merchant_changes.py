"""Changes of public fields that verified merchants request: seen by staff before and after."""

import pytest
from django.test import Client

from backoffice.formats import day_text
from backoffice.models import AuditEntry
from backoffice.queues import queues_of
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services import merchants
from core.clock import utc_now
from merchants.models import Merchant, MerchantChange
from merchants.statuses import MerchantStatus
from tests.backoffice.acting import act, fields_of, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.client import Api
from tests.factories import PaymentFactory
from tests.nights import ITS_OWN
from tests.signed_changes import write_signed
from webhooks.event_types import EventType
from webhooks.models import Event
from webhooks.outbox import write_event

pytestmark = pytest.mark.django_db


@pytest.fixture
def change(api: Api, merchant: Merchant) -> MerchantChange:
    api(merchant, live=True).patch(f"/v1/merchants/{merchant.id}", {"name": "Conch Palace"})
    return MerchantChange.objects.get()


def test_staff_see_both_names_and_approve(
    office: Office, merchant: Merchant, change: MerchantChange
) -> None:
    browser = office(Role.FINANCE)
    page = browser.get(page_of_act(merchant, "approve-change")).content.decode()
    assert f"name: “{merchant.name}” becomes “Conch Palace”" in page

    act(browser, merchant, "approve-change", reason="Register of companies")

    merchant.refresh_from_db()
    assert (merchant.name, merchant.pending_changes) == ("Conch Palace", None)
    entry = AuditEntry.objects.latest("sequence")
    assert entry.act == "approve merchant change"
    assert (entry.before, entry.after) == (change.before, change.after)


def test_a_merchants_page_says_what_it_waits_for_and_what_it_lacks(
    office: Office, merchant: Merchant, change: MerchantChange
) -> None:
    browser = office(Role.SUPPORT)

    said = browser.get(page_of(merchant)).context["answer"].words

    assert said[1].startswith("It has requested a change, waiting for review since ")
    assert said[1].endswith(f": name: “{merchant.name}” becomes “Conch Palace”.")
    assert said[2] == "It is to be paid out weekly in live mode, and has no bank account for it."


def test_a_merchants_page_says_that_its_bank_account_waits(
    api: Api, office: Office, merchant: Merchant
) -> None:
    named = {"holder_name": "Conch Cafe", "bank_name": "Reef Bank", "number": "555 000 111"}
    api(merchant, live=True).post("/v1/bank-accounts", named | {"clearing_code": "77005"})

    said = office(Role.SUPPORT).get(page_of(merchant)).context["answer"].words

    assert said[1] == (
        "It is to be paid out weekly in live mode, and the account for it is waiting for review."
    )


def test_a_suspended_merchants_page_says_who_suspended_it_and_why(
    office: Office, merchant: Merchant
) -> None:
    act(office(Role.FINANCE), merchant, "suspend", reason="Fraud reported.")

    said = office(Role.SUPPORT).get(page_of(merchant)).context["answer"].words

    assert said[1].startswith("Suspended by finance, ")
    assert said[1].endswith(": Fraud reported.")


def test_staff_decline(office: Office, merchant: Merchant, change: MerchantChange) -> None:
    act(office(Role.FINANCE), merchant, "decline-change", reason="Not theirs")

    before = merchant.name
    merchant.refresh_from_db()
    assert (merchant.name, merchant.pending_changes) == (before, None)
    assert AuditEntry.objects.latest("sequence").act == "decline merchant change"


def test_a_change_swapped_behind_the_page_is_not_approved(
    office: Office, api: Api, merchant: Merchant, change: MerchantChange
) -> None:
    browser, page = office(Role.FINANCE), page_of_act(merchant, "approve-change")
    fields = fields_of(browser.get(page).content.decode())
    api(merchant, live=True).patch(f"/v1/merchants/{merchant.id}", {"name": "Fraud Desk"})

    response = browser.post(page, fields | {"reason": "As shown"})

    assert response.status_code == 422
    before = merchant.name
    merchant.refresh_from_db()
    assert (merchant.name, merchant.pending_changes) == (before, {"name": "Fraud Desk"})


@pytest.mark.each_on_postgres(ITS_OWN)
def test_it_waits_in_a_queue_until_it_is_decided(
    office: Office, merchant: Merchant, change: MerchantChange
) -> None:
    def queues() -> dict[str, str]:
        staff = staff_as(Role.FINANCE)
        return {queue.title: queue.url for queue in queues_of(staff, livemode=True, now=utc_now())}

    browser = office(Role.FINANCE)
    assert merchant.name in browser.get(queues()["Merchants to review"]).content.decode()
    act(browser, merchant, "decline-change", reason="Not theirs")

    assert "Merchants to review" not in queues()


THEIRS = {"phone": "242 555 0199", "description": "Ring us before you pay"}


def verify_form(browser: Client, merchant: Merchant) -> str:
    return browser.get(page_of_act(merchant, "verify")).content.decode()


def test_a_number_that_a_thief_has_set_is_marked_for_staff_who_reinstate(
    office: Office, merchant: Merchant, stranger: Merchant, api: Api
) -> None:
    """Staff would ring it to ask who it was."""
    browser, thief = office(Role.FINANCE), api(merchant, live=True)
    Merchant.objects.update(phone="242 555 0100", website="https://conch.example")
    thief.patch(f"/v1/merchants/{merchant.id}", THEIRS | {"category": "charity"})
    for each in (merchant, stranger):
        write_signed(each, status=MerchantStatus.SUSPENDED)
    day = day_text(Event.objects.get(type="merchant.updated").created_at.date())

    page = verify_form(browser, merchant)
    assert f"phone: 242 555 0199 (changed {day}, " in page
    assert f"description: Ring us before you pay (changed {day}, " in page
    assert "website: https://conch.example<" in page

    for kind, shop, is_test in (
        (EventType.MERCHANT_UPDATED, stranger, False),
        (EventType.MERCHANT_UPDATED, merchant, True),
        (EventType.PAYMENT_CANCELED, merchant, False),
    ):
        about, data = PaymentFactory(merchant=shop), {"changed": ["website"]}
        write_event(kind, about=about, data=data, now=utc_now(), is_test=is_test)
    assert "website: https://conch.example<" in verify_form(browser, merchant)

    act(browser, merchant, "verify", reason="Visited")
    act(browser, merchant, "suspend", reason="Again")
    assert "(changed" not in verify_form(browser, merchant)


def test_a_thief_who_hides_a_change_among_many_marks_everything(
    office: Office, merchant: Merchant, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merchants, "MOST_CHANGES", 2)
    thief = api(merchant, live=True)
    thief.patch(f"/v1/merchants/{merchant.id}", THEIRS)
    for kind in ("sole trader", "company"):
        thief.patch(f"/v1/merchants/{merchant.id}", {"business_type": kind})
    write_signed(merchant, status=MerchantStatus.SUSPENDED)

    page = verify_form(office(Role.FINANCE), merchant)

    assert "phone: 242 555 0199 (changed " in page
    assert f"name: {merchant.name} (changed " in page
