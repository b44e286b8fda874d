"""By which way a customer who paid is told of an answer to what they reported."""

import pytest

from core.clock import utc_now
from merchants.models import Merchant
from messages.models import Channel, Message
from refunds.emails import channel_to_payer
from tests.client import Api
from tests.refunds.refunding import refund, sell, sell_live

pytestmark = pytest.mark.django_db
OF_INVOICE = "accounts@example.com"


def test_an_answer_goes_to_the_address_of_an_invoice_in_test_mode_only(merchant: Merchant) -> None:
    live, test = sell_live(merchant, 1_250), sell(merchant, 1_250)
    assert (channel_to_payer(live), channel_to_payer(test)) == (Channel.SMS, None)

    live.customer_email = test.customer_email = OF_INVOICE

    assert (channel_to_payer(live), channel_to_payer(test)) == (Channel.SMS, Channel.EMAIL)


def test_a_notice_of_a_refund_goes_to_the_address_of_an_invoice(
    api: Api, merchant: Merchant
) -> None:
    sale = sell(merchant, 1_250, customer_email=OF_INVOICE)

    refund(api, sale)

    assert Message.objects.get(kind="refund").recipient == OF_INVOICE


def test_who_is_erased_is_told_nothing(merchant: Merchant) -> None:
    live = sell_live(merchant, 1_250)
    live.paying_customer.erased_at = utc_now()

    assert channel_to_payer(live) is None
