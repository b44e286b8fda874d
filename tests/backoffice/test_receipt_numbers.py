"""What the search says of a number of a receipt that was heard or copied incompletely."""

import pytest

from backoffice.roles import Role
from payments.models import Payment
from payments.numbers import number_of
from tests.backoffice.conftest import Office

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("cut", [-1, -2, None])
def test_the_number_of_a_receipt_that_lacks_a_character_is_said_to(
    office: Office, payment: Payment, cut: int | None
) -> None:
    number = number_of(payment.pk)
    typed = number[:cut] if cut else f"{number}7"
    said = f"such a number has 10 characters, and this has {10 + (cut or 1)}."

    assert said in office(Role.VIEWER).get("/admin/search/", {"q": typed}).content.decode()


@pytest.mark.parametrize("typed", ["no such thing", "otball 8", "1234-5678", "8K3QF"])
def test_what_is_no_number_of_a_receipt_is_not_counted(office: Office, typed: str) -> None:
    page = office(Role.VIEWER).get("/admin/search/", {"q": typed}).content.decode()

    assert "such a number has" not in page
