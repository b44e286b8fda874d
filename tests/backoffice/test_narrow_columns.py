"""What stands in a narrow column of a list: short, and never broken within a word."""

import re

import pytest
from django.db.models import Model

from backoffice.resource.page_urls import list_of, page_of
from backoffice.roles import Role
from refunds.models import Refund
from tests.backoffice.conftest import Office
from webhooks.models import Delivery, Event, Webhook

pytestmark = pytest.mark.django_db

Rows = dict[type[Model], Model]


def cells(office: Office, model: type[Model], column: str) -> list[str]:
    page = office(Role.SUPPORT).get(f"{list_of(model)}?mode=test").content.decode()
    return re.findall(rf'<td class="field-{column}[^>]*>(.*?)</td>', page, re.DOTALL)


def test_a_list_does_not_name_the_key_of_a_shop(rows: Rows, office: Office) -> None:
    shown = office(Role.SUPPORT).get(page_of(rows[Refund])).content.decode()

    assert cells(office, Refund, "by") == ["the shop"]
    assert "the shop, with key" in shown


@pytest.mark.parametrize(("model", "column"), [(Delivery, "event"), (Event, "type")])
def test_the_name_of_an_event_is_wrapped_between_its_words(
    rows: Rows, office: Office, model: type[Model], column: str
) -> None:
    assert "payment_<wbr>link<wbr>.created<wbr>" in cells(office, model, column)


def test_a_list_shows_the_host_of_an_endpoint_first(rows: Rows, office: Office) -> None:
    path = "hooks/payments/of/the/shop/at/the/harbour"
    url = f"https://shop.example/{path}"
    Webhook.objects.update(url=url)

    shown = set(cells(office, Delivery, "url"))

    [cell] = shown
    assert f'title="{url}"' in cell
    assert "<wbr>shop" not in cell
    assert re.sub("<[^>]*>", "", cell) == f"shop.example/{path}"[:27] + "…"
