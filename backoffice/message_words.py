"""What messages are called, and their recipients as they may be displayed."""

from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

from backoffice.services.support import masked_address
from customers.phones import masked
from messages.models import Channel, Message, MessageStatus
from payments.emails import ASKS_FOR_MONEY
from payments.models import Payment
from payments.statuses import EXPIRABLE, FINAL

MESSAGE_KINDS = {
    "invoice": "Invoice",
    "reminder": "Reminder",
    "due": "Reminder on the due date",
    "receipt": "Receipt",
    "refund": "Refund notice",
    "inquiry": "Answer to an inquiry",
    "problem_report": "Notice of a reported problem",
    "pay_request": "Request to pay",
    "payment_link": "Payment link",
    "top_up": "Top-up receipt",
    "pin_set": "Notice of a new PIN",
    "pin_changed": "Notice of a changed PIN",
    "passkey_added": "Notice of a new passkey",
    "passkey_removed": "Notice of a removed passkey",
    "passkey_copied": "Notice of a passkey that may be copied",
    "email_set": "Notice of a new e-mail address",
    "email_changed": "Notice of a changed e-mail address",
    "email_removed": "Notice of a removed e-mail address",
    "frozen": "Notice of a frozen wallet",
    "confirm_address": "Confirmation of a customer's e-mail address",
    "confirm_email": "Confirmation of a merchant's e-mail address",
    "api_key": "API key notice",
    "bank_account": "Bank account notice",
    "fee": "Fee notice",
    "webhook_address": "Webhook address notice",
    "counter_screens": "Notice of renewed counter screens",
    "change_requested": "Notice of a requested change",
    "change_made": "Notice of a change",
    "unhealthy": "Alert of a failing endpoint",
    "exhausted": "Alert of an undelivered event",
    "gone": "Alert of an endpoint that is gone",
    "failing": "Alert of an endpoint switched off",
    "staff_invitation": "Staff invitation",
    "staff_invitation_moved": "Notice of an invitation sent elsewhere",
    "staff_alarm": "Staff alarm",
    "staff_decision": "Notice of a decision",
    "staff_export": "Export notice",
    "staff_factor": "Notice of a changed sign-in of staff",
}


def kind_words(message: Message) -> str:
    return MESSAGE_KINDS.get(message.kind, message.kind)


def with_payment_ended(messages: QuerySet[Message], now: datetime) -> Any:
    """Mark each planned message for a payment that can no longer be paid."""
    expired = Q(status__in=EXPIRABLE, expires_at__lte=now)
    ended = Payment.objects.filter(expired | Q(status__in=FINAL), pk=OuterRef("about"))
    planned = Q(status=MessageStatus.PLANNED, kind__in=ASKS_FOR_MONEY)
    return messages.annotate(is_in_vain=ExpressionWrapper(planned & Exists(ended), BooleanField()))


def status_words(message: Any, now: datetime) -> str:
    """Return the state of a message, for a row read by `with_payment_ended`.

    A crash may have interrupted the sending. That a message asks for a payment that has ended is
    noticed when it is due.
    """
    if message.is_in_vain:
        return "will not be sent"
    is_interrupted = message.is_interrupted(now)
    return "interrupted" if is_interrupted else str(message.get_status_display()).lower()


def masked_recipient(message: Message) -> str:
    """Return an address or number as it may be displayed."""
    by_text = message.channel == Channel.SMS
    return masked(message.recipient) if by_text else masked_address(message.recipient)
