"""The words of webhooks, deliveries and events in the reference."""

from core.wording import Wording

REASONS = """
Why it was disabled.

- `gone`: your endpoint answered 410.
- `failing`: [[webhook_off]] without a successful delivery.
- `requested`: disabled by you or by staff.
""".strip()

STATUSES = """
The status of the delivery.

- `pending`: an attempt is scheduled or in progress.
- `delivered`: your endpoint answered with a 2xx status.
- `failed`: every attempt failed; it can be resent.
- `canceled`: the webhook was deleted first.
""".strip()

WORDING = Wording(
    objects={
        "WebhookOutput": "One of your endpoints, and the events that are sent to it.",
        "IssuedWebhook": "A webhook with its new secret, which is shown only once.",
        "WebhookList": "A page of webhooks, newest first.",
        "NewWebhookRequest": "The endpoint, and the events it subscribes to.",
        "PatchedChangedWebhookRequest": "The fields to change; any other field is refused.",
        "DeletedWebhook": "A webhook that was deleted.",
        "RotationRequest": "How long requests are signed with both secrets.",
        "RecoveryRequest": "The time from which on failed deliveries are resent.",
        "RecoveryOutput": "The webhook, and how many deliveries are resent.",
        "TestEventRequestRequest": "Which sample to send, and to which webhook.",
        "TestEventOutput": (
            "What your endpoint answered to a sample. `status` is absent if it did not answer."
        ),
        "EventOutput": "An event, exactly as sent to endpoints; `type` decides what `data` has.",
        "EventList": "A page of events, newest first; with `after` oldest first.",
        "DeliveryOutput": "The sending of one event to one webhook.",
        "DeliveryList": "A page of deliveries, newest first.",
        "AttemptOutput": "One delivery attempt.",
    },
    fields={
        "id": ("Its id.", "wh_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "url": (
            "Your endpoint: https, or http in test mode if the service allows it.",
            "https://shop.example.com/hooks",
        ),
        "events": (
            "The events to send: types, groups such as `payment.*`, or `*` for everything.",
            ["payment.completed", "refund.*"],
        ),
        "description": ("A note for yourself.", "Order system"),
        "is_active": ("Whether events are sent to it.", True),
        "disabled_reason": (REASONS, "failing"),
        "secret_hint": ("The last characters of the secret, to recognize it.", "whsec_…Hg4="),
        "secret": ("The secret that each request is signed with: store it.", "whsec_…"),
        "deleted": ("Always `true`.", True),
        "expires_in": (
            "Seconds for which requests are still signed with the old secret as well.",
            86400,
        ),
        "since": ("Deliveries created at this time or later.", "2026-11-20T00:00:00.000Z"),
        "deliveries": ("How many deliveries are resent.", 4),
        "webhooks": ("The webhooks on this page.", []),
        "DeliveryList.deliveries": ("The deliveries on this page.", []),
        "event_type": ("The type of the event.", "payment.completed"),
        "EventList.events": ("The events on this page.", []),
        "event": ("The event that was sent.", {}),
        "delivered": ("Whether your endpoint acknowledged it with a 2xx status.", True),
        "TestEventOutput.status": ("The HTTP status of your endpoint's response.", 200),
        "AttemptOutput.status": ("The HTTP status of your endpoint's response.", 200),
        "ms": ("How many milliseconds it took.", 48),
        "excerpt": ("The start of the response body.", "ok"),
        "error": ("What went wrong, if anything.", "No answer in time."),
        "DeliveryOutput.id": ("Its id.", "dlv_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "status": (STATUSES, "delivered"),
        "attempts": ("Every attempt, oldest first.", []),
        "attempted_at": ("When it was made.", "2026-11-21T14:02:00.123Z"),
        "next_attempt_at": ("When the next attempt is due.", "2026-11-21T14:07:00.123Z"),
        "RecoveryOutput.id": ("The id of the webhook.", "wh_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "EventOutput.id": (
            "Its id: store it, because an event may be sent more than once.",
            "evt_0W1fDEfG5nXkZu7SyP3wRj9AmLs6Hh",
        ),
        "type": ("The type of the event.", "payment.completed"),
        "created": ("When it happened.", "2026-11-21T14:02:00.123Z"),
        "data": ("The event's payload; its fields depend on `type`.", {}),
        "TestEventRequestRequest.data": (
            "Fields that replace those of the sample; a null removes one.",
            {"amount": 500, "metadata": {"order_id": "1001"}},
        ),
        "EventOutput.livemode": ("Whether it is about real money.", False),
        "test": (
            "Whether you requested it as a test. Nothing it says has happened, even in live mode.",
            False,
        ),
        "sequence": (
            "Its number in the order in which events happened, from 1 and without gaps for each "
            "merchant and mode. A test event has none.",
            1042,
        ),
        "previous_sequence": (
            "The `sequence` of the previous event about the same object; absent for the first.",
            1041,
        ),
    },
    shown={
        "WebhookOutput": ("description",),
        "IssuedWebhook": ("description",),
        "NewWebhookRequest": ("description",),
        "PatchedChangedWebhookRequest": ("events",),
        "RotationRequest": ("expires_in",),
        "TestEventRequestRequest": ("event_type",),
        "AttemptOutput": ("status", "excerpt"),
    },
)
