"""A link on another site has staff export nothing and fetch no file: it leads to where they may."""

import pytest

from backoffice.export_sources import content_of
from backoffice.models import AuditEntry, ExportForm, ExportRun
from backoffice.resource import paginator
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.exports import make_due, start_export
from core.clock import utc_now
from tests.backoffice.conftest import staff_as
from tests.backoffice.rows import paid_payment

pytestmark = pytest.mark.django_db
PAYMENTS = "/admin/payments/payment/"
QUERY = "mode=test&merchant=A%26B"
elsewhere = pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
of_staff = pytest.mark.parametrize("site", ["same-origin", "none", None])


def open_from(site, browser, address):
    return browser.get(address, headers={"Sec-Fetch-Site": site} if site else {})


def written():
    return AuditEntry.objects.count(), ExportRun.objects.count()


@pytest.fixture(params=[False, True], ids=["short", "long"])
def payments(request, monkeypatch, merchant):
    monkeypatch.setattr(paginator, "COUNTED", 1 if request.param else 1_000)
    return [paid_payment(merchant, 100) for _ in range(2)]


@pytest.fixture
def run(office):
    office(Role.FINANCE)
    values = {"resource": "payments.payment", "query": "mode=test", "name": "payments.csv"}
    staff = staff_as(Role.FINANCE, "finance")
    run = start_export(staff=staff, form=ExportForm.CSV, now=utc_now(), **values)
    make_due(content_of=content_of, now=utc_now())
    return run


@elsewhere
def test_it_leads_to_the_list_and_exports_nothing(office, payments, site):
    browser, before = office(Role.FINANCE), written()

    answer = open_from(site, browser, f"{PAYMENTS}export/csv/?{QUERY}")

    assert (answer.status_code, answer["Location"]) == (302, f"{PAYMENTS}?{QUERY}")
    assert written() == before


@of_staff
def test_a_link_of_our_own_pages_or_a_typed_one_exports(office, payments, site):
    browser, before = office(Role.FINANCE), written()

    answer = open_from(site, browser, f"{PAYMENTS}export/csv/?mode=test")

    assert answer.get("Location", "") != f"{PAYMENTS}?mode=test"
    assert written() > before


@elsewhere
def test_it_leads_to_the_page_of_a_file(office, run, site):
    browser, before = office(Role.FINANCE), written()

    answer = open_from(site, browser, f"/admin/backoffice/exportrun/{run.pk}/file/")

    assert (answer.status_code, answer["Location"]) == (302, page_of(run))
    assert written() == before
    assert open_from(site, browser, page_of(run)).status_code == 200


@of_staff
def test_a_file_is_fetched_from_its_page(office, run, site):
    browser = office(Role.FINANCE)

    answer = open_from(site, browser, f"/admin/backoffice/exportrun/{run.pk}/file/")

    assert "attachment" in answer["Content-Disposition"]


@elsewhere
def test_it_tells_no_other_member_of_staff_that_there_is_a_file(office, run, site):
    address = f"/admin/backoffice/exportrun/{run.pk}/file/"

    assert open_from(site, office(Role.ADMINISTRATOR), address).status_code == 404
