from django.http import HttpResponse

from core.clock import request_now
from core.errors import ValidationFailed
from core.fields import EmailTextField, OneOfField, TextField
from core.openapi import operation
from core.responses import Response
from core.serializers import Input, Output
from customers.phones import normalize_phone
from links.models import PaymentLink
from merchants.callers import CallerRequest
from merchants.viewsets import CallerViewSet
from messages.models import Channel
from payments.models import Payment
from payments.pay_requests import Recipient, send_link, send_payment


class PayRequest(Input):
    phone = TextField(max_length=32, required=False)
    email = EmailTextField(required=False)


class SentPayRequest(Output):
    id = TextField(max_length=40)
    channel = OneOfField(allowed=tuple(Channel.values))
    sent_to = TextField(max_length=254)
    url = TextField(max_length=2_048)


class PaymentSendingViewSet(CallerViewSet):
    resource = "payment"

    @operation("Send a payment to a customer", request=PayRequest, response=SentPayRequest)
    def send(self, request: CallerRequest, payment_id: str) -> HttpResponse:
        """Sends its `checkout_url` by SMS to `phone` or by e-mail to `email`.

        A payment that was opened through a payment link can be sent until that link ends.
        In test mode the e-mail goes to your own confirmed address, and no SMS is sent.
        """
        recipient = recipient_of(request)

        def work() -> Response:
            payment = send_payment(
                caller=request.user, payment_id=payment_id, recipient=recipient, now=request_now()
            )
            return Response(_sent(payment, recipient))

        return self.once(request, work)


class LinkSendingViewSet(CallerViewSet):
    resource = "payment link"

    @operation("Send a payment link to a customer", request=PayRequest, response=SentPayRequest)
    def send(self, request: CallerRequest, link_id: str) -> HttpResponse:
        """Sends its `url` by SMS to `phone` or by e-mail to `email`.

        By e-mail only if the merchant's slug in it has more than six digits, and not just years
        such as `est-1968`: in a text it could be taken for a phone number. In test mode the e-mail
        goes to your own confirmed address, and no SMS is sent.
        """
        recipient = recipient_of(request)

        def work() -> Response:
            link = send_link(
                caller=request.user, link_id=link_id, recipient=recipient, now=request_now()
            )
            return Response(_sent(link, recipient))

        return self.once(request, work)


def recipient_of(request: CallerRequest) -> Recipient:
    """Read the recipient. Raises ValidationFailed unless it is one phone or one e-mail address."""
    values = PayRequest.parse(request.data)
    if len(values) != 1:
        raise ValidationFailed(phone="must be given, or email, and not both")
    if "email" in values:
        return Recipient(Channel.EMAIL, values["email"])
    number = normalize_phone(values["phone"], livemode=request.user.livemode)
    return Recipient(Channel.SMS, number)


def _sent(row: Payment | PaymentLink, recipient: Recipient) -> dict[str, str]:
    sent = {"channel": recipient.channel.value, "sent_to": recipient.address}
    return SentPayRequest.of({"id": row.id, **sent, "url": row.url})
