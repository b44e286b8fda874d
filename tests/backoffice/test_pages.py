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
from tests.backoffice.conftest import Office
from tests.backoffice.rows import one_of_each

pytestmark = pytest.mark.django_db

MODELS = sorted(ADMINS, key=lambda model: model.__name__)
MAX_STATEMENTS = 30


def address(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def test_there_is_a_row_of_every_model(office: Office) -> None:
    assert set(one_of_each()) == set(ADMINS) == set(CATALOG)


@pytest.mark.parametrize("model", MODELS)
def test_a_list_opens_in_few_statements(office: Office, model: type[Model]) -> None:
    one_of_each()
    browser = office(Role.ADMINISTRATOR)

    with CaptureQueriesContext(connection) as statements:
        response = browser.get(address(model, "changelist"))

    assert response.status_code == 200
    assert len(statements) <= MAX_STATEMENTS


@pytest.mark.parametrize("model", MODELS)
def test_an_object_opens_in_few_statements(office: Office, model: type[Model]) -> None:
    row = one_of_each()[model]
    browser = office(Role.ADMINISTRATOR)

    with CaptureQueriesContext(connection) as statements:
        response = browser.get(address(model, "change", row.pk))

    assert response.status_code == 200
    assert len(statements) <= MAX_STATEMENTS
