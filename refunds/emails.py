"""Notify customers of refunds: by e-mail where there is an address, else by SMS."""

from datetime import datetime

import structlog
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.utils import translation
from django.utils.translation import gettext

from core.errors import ServiceUnavailable
from core.formats import money_and_code
from customers import sms
from payments.mailing import context_of, message_about
from refunds.models import NoticeStatus, Refund

BATCH = 50

logger = structlog.get_logger(__name__)


def notify_due(*, now: datetime, limit: int = BATCH) -> int:
    """Notify the customers of refunds that succeeded; return how many this call notified.

    A notice is claimed before it is sent: it goes out at most once.
    """
    found = Refund.objects.to_notify().select_related("payment__merchant", "payment__customer")
    refunds = list(found.order_by("succeeded_at", "pk")[:limit])
    return sum(_notify(refund, now) for refund in refunds if _take(refund))


def _take(refund: Refund) -> bool:
    due = Refund.objects.to_notify().filter(pk=refund.pk)
    return bool(due.update(notice_status=NoticeStatus.SENDING))


def _notify(refund: Refund, now: datetime) -> bool:
    status = _send(refund)
    told_at = now if status == NoticeStatus.SENT else None
    Refund.objects.filter(pk=refund.pk).update(notice_status=status, notified_at=told_at)
    return status == NoticeStatus.SENT


def _send(refund: Refund) -> NoticeStatus:
    """Send the notice in the customer's language. In test mode no text goes to any phone."""
    customer = refund.payment.paying_customer
    address = customer.email or refund.payment.customer_email
    try:
        with translation.override(customer.language or settings.LANGUAGE_CODE):
            if address:
                _message(refund, address).send()
            elif customer.livemode:
                sms.send(to=customer.phone, text=_text(refund))
            else:
                return NoticeStatus.NOT_NEEDED
    except (OSError, ServiceUnavailable):
        logger.exception("refund_notice_not_sent", refund_id=refund.id)
        return NoticeStatus.FAILED
    return NoticeStatus.SENT


def _text(refund: Refund) -> str:
    return gettext("%(merchant)s has refunded %(amount)s to your %(service)s wallet.") % {
        "merchant": sms.sanitized(refund.payment.merchant.name) or settings.SERVICE_NAME,
        "amount": _amount(refund),
        "service": settings.SERVICE_NAME,
    }


def _message(refund: Refund, address: str) -> EmailMultiAlternatives:
    context = context_of(refund.payment) | {"amount": _amount(refund)}
    return message_about(
        refund.payment,
        template="refund",
        subject=gettext("Refund: %(amount)s from %(merchant)s") % context,
        context=context,
        recipient=address,
        reference=refund.id,
    )


def _amount(refund: Refund) -> str:
    return money_and_code(refund.amount, refund.currency)
