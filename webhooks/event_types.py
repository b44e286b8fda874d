"""Every type of event, and the patterns by which an endpoint subscribes to several."""

from collections.abc import Collection

from django.db.models import TextChoices

EVERYTHING = "*"


class EventType(TextChoices):
    """The types of event that a merchant's endpoint can subscribe to."""

    PAYMENT_CREATED = "payment.created"
    PAYMENT_COMPLETED = "payment.completed"
    PAYMENT_FAILED = "payment.failed"
    PAYMENT_EXPIRED = "payment.expired"
    PAYMENT_CANCELED = "payment.canceled"
    PAYMENT_REFUNDED = "payment.refunded"
    PAYMENT_REPLACEMENT_REQUESTED = "payment.replacement_requested"
    REFUND_CREATED = "refund.created"
    REFUND_COMPLETED = "refund.completed"
    REFUND_FAILED = "refund.failed"
    INQUIRY_CREATED = "inquiry.created"
    INQUIRY_UPDATED = "inquiry.updated"
    PAYOUT_CREATED = "payout.created"
    PAYOUT_PAID = "payout.paid"
    PAYOUT_FAILED = "payout.failed"
    PAYOUT_CANCELED = "payout.canceled"
    PAYMENT_LINK_CREATED = "payment_link.created"
    PAYMENT_LINK_PAYMENT_COMPLETED = "payment_link.payment.completed"
    PAYMENT_LINK_DEACTIVATED = "payment_link.deactivated"
    PAYMENT_LINK_EXPIRED = "payment_link.expired"
    MERCHANT_UPDATED = "merchant.updated"


MEANINGS = {
    EventType.PAYMENT_CREATED: "A payment was created.",
    EventType.PAYMENT_COMPLETED: "A payment was paid: deliver now.",
    EventType.PAYMENT_FAILED: "A payment was refused for good.",
    EventType.PAYMENT_EXPIRED: "A payment was not paid in time.",
    EventType.PAYMENT_CANCELED: "A payment was canceled, by you or on its checkout page.",
    EventType.PAYMENT_REFUNDED: "A payment was refunded, in full or in part.",
    EventType.PAYMENT_REPLACEMENT_REQUESTED: (
        "A customer asks for a new payment: create one that `replaces` it."
    ),
    EventType.REFUND_CREATED: "A refund was created.",
    EventType.REFUND_COMPLETED: "A refund was paid back to the customer.",
    EventType.REFUND_FAILED: "A refund failed; its amount can be refunded again.",
    EventType.INQUIRY_CREATED: "A customer reported a problem on a receipt: answer it.",
    EventType.INQUIRY_UPDATED: "An inquiry was answered, refunded, closed or reopened.",
    EventType.PAYOUT_CREATED: "A payout was scheduled.",
    EventType.PAYOUT_PAID: "The bank has booked a payout.",
    EventType.PAYOUT_FAILED: (
        "A payout failed or was returned; the money is back in your balance."
    ),
    EventType.PAYOUT_CANCELED: (
        "A payout was canceled before it was sent; the money is back in your balance."
    ),
    EventType.PAYMENT_LINK_CREATED: "A payment link was created.",
    EventType.PAYMENT_LINK_PAYMENT_COMPLETED: (
        "A customer paid at a payment link. `payment.completed` is sent, too: deliver on only one."
    ),
    EventType.PAYMENT_LINK_DEACTIVATED: "A payment link was deactivated by you or by staff.",
    EventType.PAYMENT_LINK_EXPIRED: "A payment link expired.",
    EventType.MERCHANT_UPDATED: "The merchant's profile has changed.",
}

# `payment.*` and the like: every event of one resource.
GROUPS = tuple(dict.fromkeys(f"{event_type.split('.')[0]}.*" for event_type in EventType.values))
SUBSCRIBABLE = (EVERYTHING, *GROUPS, *EventType.values)


def patterns_of(event_type: EventType) -> tuple[str, str, str]:
    """Return the patterns that cover the type: an endpoint with one of them is subscribed to it."""
    return EVERYTHING, f"{event_type.split('.')[0]}.*", event_type.value


def covered_by(patterns: Collection[str]) -> set[EventType]:
    """Return the types that an endpoint with these patterns is subscribed to."""
    return {each for each in EventType if not set(patterns).isdisjoint(patterns_of(each))}
