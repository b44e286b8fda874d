"""Every page of the back office: it opens, in few statements, and shows no secret."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from backoffice.registry import ADMINS
from backoffice.resource.catalog import CATALOG
from backoffice.roles import Role
from payments.models import Payment
from tests.backoffice.conftest import Office

pytestmark = pytest.mark.django_db

Rows = dict[type[Model], Model]
MODELS = sorted(ADMINS, key=lambda model: model.__name__)
MAX_STATEMENTS = 30


def address(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def test_there_is_a_row_of_every_model(rows: Rows) -> None:
    assert set(rows) == set(ADMINS) == set(CATALOG)


@pytest.mark.parametrize("model", MODELS)
def test_a_list_opens_in_few_statements(rows: Rows, office: Office, model: type[Model]) -> None:
    browser = office(Role.ADMINISTRATOR)

    with CaptureQueriesContext(connection) as statements:
        response = browser.get(address(model, "changelist"))

    assert response.status_code == 200
    assert len(statements) <= MAX_STATEMENTS


@pytest.mark.parametrize("model", MODELS)
def test_an_object_opens_in_few_statements(rows: Rows, office: Office, model: type[Model]) -> None:
    row = rows[model]
    browser = office(Role.ADMINISTRATOR)

    with CaptureQueriesContext(connection) as statements:
        response = browser.get(address(model, "change", row.pk))

    assert response.status_code == 200
    assert len(statements) <= MAX_STATEMENTS


def test_a_list_loads_none_of_djangos_scripts_for_forms(rows: Rows, office: Office) -> None:
    browser = office(Role.VIEWER)

    page = browser.get(address(Payment, "changelist")).content.decode()

    assert "backoffice.js" in page
    assert "admin/js/" not in page
    assert "jsi18n" not in page
    assert browser.get("/admin/jsi18n/").status_code == 404
