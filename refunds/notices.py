"""Tell customers that money has come back: by e-mail where there is an address, else by SMS."""

import logging
from datetime import datetime

from django.conf import settings
from django.core.mail import send_mail

from core.errors import ServiceUnavailable
from core.money import format_amount
from customers import sms
from refunds.models import Refund
from refunds.statuses import RefundStatus

BATCH = 50
logger = logging.getLogger(__name__)


def notify_due(*, now: datetime, limit: int = BATCH) -> int:
    """Notify the customers of refunds that succeeded; return how many this call told.

    A notice is taken before it is sent: it goes out once at most.
    """
    waiting = Refund.objects.filter(status=RefundStatus.SUCCEEDED, notified_at__isnull=True)
    found = waiting.select_related("payment__merchant", "payment__customer")
    refunds = list(found.order_by("succeeded_at")[:limit])
    return sum(_notify(refund) for refund in refunds if _take(refund, now))


def _take(refund: Refund, now: datetime) -> bool:
    untold = Refund.objects.filter(pk=refund.pk, notified_at__isnull=True)
    return bool(untold.update(notified_at=now))


def _notify(refund: Refund) -> bool:
    customer = refund.payment.paying_customer
    merchant = " ".join(refund.payment.merchant.name.split())
    amount = format_amount(refund.amount, refund.currency)
    text = f"{merchant} has refunded {amount} to your {settings.SERVICE_NAME} wallet."
    address = customer.email or refund.payment.customer_email
    try:
        if address:
            send_mail(f"Refund of {amount} from {merchant}", text, None, [address])
        elif customer.livemode:
            sms.send(to=customer.phone, text=text)
    except (OSError, ServiceUnavailable):
        logger.exception("refund notice not sent", extra={"refund_id": refund.id})
        return False
    return True
