"""Notify customers of refunds: by e-mail where there is an address, else by SMS."""

from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext

from core.formats import money_and_code
from messages import sms
from messages.content import Content
from messages.models import Channel, Message
from messages.planning import plan_message
from payments.emails import content_about, context_of
from payments.models import Payment
from refunds.models import Refund

KIND = "refund"


def plan_notice(refund: Refund, payment: Payment, *, now: datetime) -> None:
    """Plan the notice of a refund that succeeded. In test mode no phone gets a text.

    None to a customer whose data has been erased.
    """
    customer = payment.paying_customer
    if customer.erased_at is not None:
        return
    address = customer.email or payment.customer_email
    if address or customer.livemode:
        plan_message(
            channel=Channel.EMAIL if address else Channel.SMS,
            kind=KIND,
            recipient=address or customer.phone,
            about=refund.id,
            merchant_id=refund.merchant_id,
            livemode=refund.livemode,
            language=customer.language,
            key=f"{refund.id}:{KIND}",
            now=now,
        )


def write(message: Message, now: datetime) -> Content:
    """Write the notice of a refund, for the channel that it goes by."""
    refund = Refund.objects.select_related("payment__merchant").get(pk=message.about)
    amount = money_and_code(refund.amount, refund.currency)
    if message.channel == Channel.SMS:
        return Content(_text(refund.payment.merchant.name, amount))
    context = context_of(refund.payment) | {"amount": amount}
    subject = gettext("Refund: %(amount)s from %(merchant)s") % context
    return content_about(refund.payment, template=KIND, subject=subject, context=context)


def _text(merchant: str, amount: str) -> str:
    return gettext("%(merchant)s has refunded %(amount)s to your %(service)s wallet.") % {
        "merchant": sms.sanitized(merchant) or settings.SERVICE_NAME,
        "amount": amount,
        "service": settings.SERVICE_NAME,
    }
