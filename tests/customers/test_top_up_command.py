"""`manage.py top_up`"""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from customers.models import Customer
from customers.services import wallet
from ledger.models import Transfer
from ledger.services import balance_of
from merchants.models import Merchant
from tests.factories import MerchantFactory

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("top_up", *arguments, stdout=out)
    return out.getvalue()


def test_it_tops_up_a_merchants_test_customer_who_appears_by_itself(merchant: Merchant) -> None:
    out = run("+1 242 555 0101", "1250", "--merchant", merchant.slug)

    customer = Customer.objects.get()
    assert (customer.merchant, customer.livemode) == (merchant, False)
    assert out == f"{customer.id} now holds B$12.50 BSD.\n"
    assert balance_of(wallet(customer, "BSD")) == 1_250


def test_it_tops_up_a_live_customer_in_another_currency(payer: Customer) -> None:
    out = run(payer.phone, "500", "--live", "--currency", "JPY", "--json")

    result = json.loads(out)
    assert (result["customer_id"], result["amount"], result["balance"]) == (payer.id, 500, 500)
    assert Transfer.objects.get().livemode


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["+12423599999", "500", "--live"], "There is no such customer."),
        (["+12425550100", "0", "--merchant", "shop"], "amount: must be from 1"),
        (["+12425550100", "1", "--merchant", "shop", "--currency", "XX"], "currency: must be"),
        (["nobody", "1", "--merchant", "shop"], "phone: must be"),
        (["+12425550100", "1", "--merchant", "none"], "There is no such merchant."),
        (["+12425550100", "1"], "one of the arguments --live --merchant is required"),
    ],
)
def test_it_says_what_is_wrong(arguments: list[str], says: str) -> None:
    MerchantFactory(slug="shop")
    with pytest.raises(CommandError, match=says):
        run(*arguments)

    assert Transfer.objects.filter(livemode=True).count() == 0
