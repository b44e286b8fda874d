"""The numbers below a list stand in one line, whichever app its rows are of."""

import re

import pytest
from django.db.models import Model

from backoffice.models import AuditEntry
from backoffice.resource.page_urls import list_of
from backoffice.roles import Role
from merchants.models import Merchant
from tests.backoffice.conftest import Office

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", [Merchant, AuditEntry], ids=lambda model: model.__name__)
def test_the_numbers_below_a_list_stand_in_a_row(
    office: Office, rows: dict[type[Model], Model], model: type[Model]
) -> None:
    """Django takes admin/APP/pagination.html for the whole bar, and one app is the back office."""
    page = office(Role.ADMINISTRATOR).get(list_of(model)).content.decode()

    around = re.search(r'<div class="([^"]*)">\s*<div class="bo-count">', page)
    assert around is not None
    assert around[1].split()[:2] == ["flex", "flex-row"]
