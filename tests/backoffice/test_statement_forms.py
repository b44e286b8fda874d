"""The form of a merchant's statement proposes what there is to state."""

import pytest

from backoffice.roles import Role
from merchants.models import Merchant
from tests.backoffice.acting import fields_of, page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("currencies", "proposed"), [([], "BSD"), (["KWD"], "KWD"), (["JPY", "KWD"], "BSD")]
)
def test_the_only_currency_of_a_merchant_is_proposed(
    office: Office, merchant: Merchant, currencies: list[str], proposed: str
) -> None:
    for currency in currencies:
        paid_payment(merchant, currency=currency)

    form = office(Role.FINANCE).get(page_of_act(merchant, "statement")).content.decode()

    assert fields_of(form)["currency"] == proposed
