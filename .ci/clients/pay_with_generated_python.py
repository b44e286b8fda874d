"""Pay an order with the client of openapi-generator's `python`."""

import os

from openapi_client import ApiClient, Configuration, PaymentsApi, RefundsApi
from openapi_client.models import (
    ConfirmationRequest,
    LineItemRequest,
    NewPaymentRequest,
    NewRefundRequest,
)

configuration = Configuration(host=os.environ["SERVICE"], access_token=os.environ["KEY"])
with ApiClient(configuration) as client:
    payments = PaymentsApi(client)
    item = LineItemRequest(name="Atlas", quantity=2, price=1250)
    order = NewPaymentRequest(payment_mode="ORDER_PAY", order_id="python", line_items=[item])
    payment = payments.create_payment(x_service_strict="true", new_payment_request=order)
    assert (payment.amount, payment.status) == (2500, "created"), payment
    payments.confirm_payment(payment.id, confirmation_request=ConfirmationRequest())
    assert payments.get_payment(payment.id).status == "completed"
    found = payments.list_payments(order_id="python")
    assert payment.id in [each.id for each in found.payments], found
    request = NewRefundRequest(amount=500)
    refund = RefundsApi(client).create_refund(payment.id, new_refund_request=request)
    assert (refund.amount, refund.status) == (500, "succeeded"), refund
print("openapi-generator, python: paid", payment.id)
