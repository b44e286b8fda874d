"""What a filter cannot read leaves each list usable, also with more rows than its pages reach."""

import pytest
from django.db.models import Model
from django.test import Client

from backoffice.resource.catalog import CATALOG
from backoffice.resource.page_urls import list_of
from backoffice.roles import Role
from backoffice.site import office as site
from ledger.models import Account, Transfer
from tests.backoffice.conftest import Office
from tests.backoffice.rows import one_of_each

pytestmark = pytest.mark.django_db
NONSENSE = ('"<b>', "9" * 30, "2026-13-45", "-1,,completed")


@pytest.fixture
def browser(office: Office, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Return a browser for which one row is more than the pages reach."""
    monkeypatch.setattr("backoffice.resource.paginator.COUNTED", 0)
    one_of_each()
    return office(Role.ADMINISTRATOR)


def test_each_list_takes_what_its_filters_cannot_read(browser: Client) -> None:
    for model in CATALOG:
        for item in site.get_model_admin(model).filters():
            query = {str(item.parameter_name): NONSENSE[0]}
            assert browser.get(list_of(model, **query)).status_code == 200, (model, query)


@pytest.mark.parametrize("account", NONSENSE)
def test_what_is_no_account_is_ignored_and_said(browser: Client, account: str) -> None:
    page = browser.get(list_of(Transfer, mode="both", account=account))

    assert "is not known here, and was ignored" in page.content.decode()
    assert page.context["cl"].paginator._parts == ({},)


def test_the_transfers_of_an_account_are_read_by_its_two_indexes(browser: Client) -> None:
    account: Model = Account.objects.latest("pk")

    pages = browser.get(list_of(Transfer, mode="both", account=account.pk)).context["cl"].paginator

    assert pages._parts == [{side: str(account.pk)} for side in ("debit_account", "credit_account")]
