"""Two addresses that look alike are not shown as one to those who approve: one may be a thief's."""

import pytest
from django.contrib.auth.models import User

from backoffice.formats import spelled_out
from backoffice.models import Instruction
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from merchants.models import Merchant
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.colleagues import FIRST, SECOND, at_desk, two_administrators
from tests.backoffice.conftest import Office, make_user
from tests.client import Api

pytestmark = pytest.mark.django_db
ALIKE = "lee@r\N{CYRILLIC SMALL LETTER IE}ef.example.com"
SPELLED = "xn--ref-rdd.example.com"


def test_who_approves_a_reset_sees_where_its_link_goes() -> None:
    two_administrators()
    colleague = make_user(Role.FINANCE, "lee")
    User.objects.filter(pk=colleague.pk).update(email="lee@reef.example.com")
    act(at_desk(FIRST), colleague, "reset", email=ALIKE, reason="A new phone")

    page = at_desk(SECOND).get(page_of(Instruction.objects.get())).content.decode()

    assert f"{ALIKE} (spelled {SPELLED})" in page
    assert "(spelled reef" not in page


def test_a_sentence_that_mentions_an_address_is_left_as_it_is() -> None:
    assert spelled_out("Of lee@reef.example.com — by phone") == "Of lee@reef.example.com — by phone"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("email", ALIKE),
        ("website", ALIKE.replace("lee@", "https://") + "/shop"),
    ],
)
def test_who_approves_details_of_a_merchant_reads_the_spelling(
    api: Api, office: Office, merchant: Merchant, field: str, value: str
) -> None:
    asked = api(merchant, live=True).patch(f"/v1/merchants/{merchant.id}", {field: value})
    assert asked.status_code == 200

    page = office(Role.FINANCE).get(page_of_act(merchant, "approve-change")).content.decode()

    assert f"becomes “{value} (spelled {SPELLED})”" in page
