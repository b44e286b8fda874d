"""Pay an order with the client of openapi-python-client."""

import os

from payments_api_client import AuthenticatedClient
from payments_api_client.api.payments import confirm_payment, create_payment, get_payment
from payments_api_client.api.refunds import create_refund
from payments_api_client.models import (
    ConfirmationRequest,
    Error,
    LineItemRequest,
    NewPaymentRequest,
    NewPaymentRequestPaymentMode,
    NewRefundRequest,
)

client = AuthenticatedClient(base_url=os.environ["SERVICE"], token=os.environ["KEY"])
order = NewPaymentRequest(
    payment_mode=NewPaymentRequestPaymentMode.ORDER_PAY,
    order_id="python-client",
    line_items=[LineItemRequest(name="Atlas", quantity=2, price=1250)],
)
payment = create_payment.sync(client=client, body=order)
assert payment and not isinstance(payment, Error), payment
assert (payment.amount, payment.status) == (2500, "created"), payment
confirm_payment.sync(payment.id, client=client, body=ConfirmationRequest())
paid = get_payment.sync(payment.id, client=client)
assert paid and not isinstance(paid, Error), paid
assert paid.status == "completed", paid
refund = create_refund.sync(payment.id, client=client, body=NewRefundRequest(amount=500))
assert refund and not isinstance(refund, Error), refund
assert (refund.amount, refund.status) == (500, "succeeded"), refund
print("openapi-python-client: paid", payment.id)
