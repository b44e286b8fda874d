"""Text customers about each change to their PIN or passkeys, by themselves or by staff.

A notice is a row of the same transaction; a task sends what is due.
"""

import logging
from datetime import datetime

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from core.sweeping import sweep
from customers import sms
from customers.models import Customer, SecurityChange, SecurityNotice

BATCH = 50
SAYS = {
    SecurityChange.PIN_CHANGED: gettext_noop(
        "Your PIN for %(service)s was changed. If that was not you, tell us at once."
    ),
    SecurityChange.PASSKEY_ADDED: gettext_noop(
        "A passkey was added to your %(service)s wallet. If that was not you, tell us at once."
    ),
    SecurityChange.PASSKEY_REMOVED: gettext_noop(
        "A passkey was removed from your %(service)s wallet. If that was not you, tell us at once."
    ),
}

logger = logging.getLogger(__name__)


def plan_notice(customer: Customer, change: SecurityChange, *, now: datetime) -> None:
    """Plan a text to the customer, in the caller's transaction.

    None in test mode, where phones are shared.
    """
    if customer.livemode:
        SecurityNotice.objects.create(customer=customer, change=change, created_at=now)


def send_due_notices(*, now: datetime) -> int:
    """Send what waits; return how many went out."""
    waiting = SecurityNotice.objects.filter(taken_at=None).order_by("created_at", "pk")
    due = list(waiting.values_list("pk", flat=True)[:BATCH])
    return sweep("send security notices", lambda pk: _send(pk, now), due)


def _send(notice_id: int, now: datetime) -> bool:
    notices = SecurityNotice.objects.filter(pk=notice_id)
    if not notices.filter(taken_at=None).update(taken_at=now):
        return False
    notice = notices.select_related("customer").get()
    with translation.override(notice.customer.language or settings.LANGUAGE_CODE):
        says = gettext(SAYS[SecurityChange(notice.change)])
    try:
        sms.send(to=notice.customer.phone, text=says % {"service": settings.SERVICE_NAME})
    except sms.SmsNotSent:
        logger.exception("security notice not sent", extra={"customer_id": notice.customer_id})
        return False
    notices.update(sent_at=now)
    return True
