"""Every type of event, in the contract's order."""

from django.db.models import TextChoices


class EventType(TextChoices):
    PAYMENT_CREATED = "payment.created"
    PAYMENT_COMPLETED = "payment.completed"
    PAYMENT_FAILED = "payment.failed"
    PAYMENT_EXPIRED = "payment.expired"
    PAYMENT_CANCELED = "payment.canceled"
    PAYMENT_REFUNDED = "payment.refunded"
    REFUND_CREATED = "refund.created"
    REFUND_COMPLETED = "refund.completed"
    REFUND_FAILED = "refund.failed"
    PAYOUT_CREATED = "payout.created"
    PAYOUT_PAID = "payout.paid"
    PAYOUT_FAILED = "payout.failed"
    PAYMENT_LINK_CREATED = "payment_link.created"
    PAYMENT_LINK_PAYMENT_COMPLETED = "payment_link.payment.completed"
    PAYMENT_LINK_DEACTIVATED = "payment_link.deactivated"
    PAYMENT_LINK_EXPIRED = "payment_link.expired"
