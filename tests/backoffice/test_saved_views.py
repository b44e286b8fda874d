"""Saved views: lists with their filters, and nothing else; without a trace of the erased."""

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from backoffice.models import SavedView
from backoffice.roles import Role
from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create
from tests.backoffice.conftest import Office, make_user
from tests.backoffice.erasing import EMAIL, NAME, PHONE, erase

pytestmark = pytest.mark.django_db

PAYMENTS = "/admin/payments/payment/"


def test_a_view_is_saved_shared_and_forgotten(office: Office) -> None:
    finance = office(Role.FINANCE)
    link = finance.get(PAYMENTS, {"mode": "test", "status": "failed"}).content.decode()
    save = link.split('href="/admin/views/?')[1].split('"')[0].replace("&amp;", "&")
    saving = finance.get(f"/admin/views/?{save}").context["form"]
    assert saving.initial == {"path": PAYMENTS, "query": "mode=test&status=failed"}

    values = {"name": "Failed", "path": PAYMENTS, "query": "mode=test&status=failed"}
    response = finance.post("/admin/views/", values)

    assert response.headers["Location"] == f"{PAYMENTS}?mode=test&status=failed"
    assert "Failed" in finance.get("/admin/").content.decode()
    assert "Saved by finance" not in office(Role.SUPPORT).get(PAYMENTS).content.decode()
    finance.post("/admin/views/", values | {"shared": "on"})
    assert SavedView.objects.count() == 1
    assert "Saved by finance" in office(Role.SUPPORT).get(PAYMENTS).content.decode()
    elsewhere = office(Role.SUPPORT).get("/admin/refunds/refund/").content.decode()
    assert "Saved by finance" not in elsewhere
    forget = reverse("admin:forget_view", args=[SavedView.objects.get().pk])
    office(Role.SUPPORT).post(forget)
    assert SavedView.objects.exists()
    finance.post("/admin/views/", values | {"name": "Another"})
    finance.post(forget)
    assert SavedView.objects.get().name == "Another"


def test_exports_and_acts_above_a_list_keep_its_filters(office: Office) -> None:
    """Else all rows would be exported, or sent again, while a part of them is shown."""
    query = "mode=test&status=failed"
    page = office(Role.SUPPORT).get(f"/admin/webhooks/delivery/?{query}")
    exports = office(Role.FINANCE).get(f"{PAYMENTS}?{query}").context["exports"]

    addresses = [act["url"] for act in page.context["list_actions"]] + [url for _, url in exports]

    assert [url.partition("?")[2] for url in addresses] == [query] * 3


def test_a_view_of_a_list_that_the_role_no_longer_sees_is_not_shown(office: Office) -> None:
    transfers = "/admin/ledger/transfer/"
    office(Role.FINANCE).post("/admin/views/", {"name": "Fees of today", "path": transfers})
    user = make_user(Role.FINANCE)
    pages = ("/admin/", "/admin/views/")
    assert all("Fees of today" in office(Role.FINANCE).get(each).content.decode() for each in pages)

    user.groups.set([Group.objects.get_or_create(name=Role.SUPPORT.value)[0]])

    browser = office(Role.SUPPORT, user.username)
    assert not any("Fees of today" in browser.get(each).content.decode() for each in pages)


@pytest.mark.parametrize(
    "path",
    [
        *("https://evil.example/", "//evil.example", "/v1/payments", "x", "/admin/", ""),
        *("/admin/search/", "/admin/payments/payment/export/csv/", "/admin/auth/group/"),
    ],
)
def test_a_view_leads_nowhere_else(office: Office, path: str) -> None:
    response = office(Role.FINANCE).post("/admin/views/", {"name": "x", "path": path})

    assert response.status_code == 200
    assert not SavedView.objects.exists()


def test_a_view_keeps_only_what_filters_its_list(office: Office) -> None:
    query = "mode=test&q=%2B12423591234&day_from=2026-01-31&phone=1&p=3&status=failed%2Cexpired"

    office(Role.FINANCE).post("/admin/views/", {"name": "x", "path": PAYMENTS, "query": query})

    kept = "mode=test&day_from=2026-01-31&status=failed%2Cexpired"
    assert SavedView.objects.get().query == kept


@pytest.mark.parametrize("query", ["q=" + "x" * 1_000, "day_from=" + "é" * 200, "mode=\0"])
def test_filters_that_cannot_be_stored_are_refused(office: Office, query: str) -> None:
    response = office(Role.FINANCE).post(
        "/admin/views/", {"name": "x", "path": PAYMENTS, "query": query}
    )

    assert response.status_code == 200
    assert not SavedView.objects.exists()


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Disputed", "merchant=%2B1+242+359-1234"),
        ("359 1234", "mode=live"),
        ("ADA@example.com", "mode=live"),
        ("Disputed by Ada Rolle", "mode=live"),
        ("Disputed", "mode=live&customer={customer}"),
    ],
)
def test_views_that_name_an_erased_person_go(office: Office, name: str, query: str) -> None:
    person = find_or_create(phone=PHONE, now=utc_now())
    Customer.objects.update(email=EMAIL, name=NAME)
    kept = ("Failed", "status=failed&day_from=2026-03-03")
    views = [(name, query.format(customer=person.pk)), kept, ("Ada Rolleston", "mode=live")]
    owner = make_user(Role.SUPPORT)
    for each, filters in views:
        SavedView.objects.create(
            name=each, path=PAYMENTS, query=filters, owner=owner, created_at=utc_now()
        )

    erase(office, person)

    left = SavedView.objects.order_by("-name").values_list("name", "query")
    assert list(left) == views[1:]
