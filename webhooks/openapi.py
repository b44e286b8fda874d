"""The words of webhooks, deliveries and events in the reference."""

from core.wording import Wording

REASONS = """
Why it is switched off.

- `gone`: your endpoint answered 410.
- `failing`: [[webhook_off]] without one success.
- `requested`: by you, or by staff.
""".strip()

STATUSES = """
How far it is.

- `pending`: an attempt is scheduled or under way.
- `delivered`: your endpoint answered with a 2xx status.
- `failed`: its attempts have failed; it can be sent again.
- `canceled`: the webhook was deleted first.
""".strip()

WORDING = Wording(
    objects={
        "WebhookOutput": "An endpoint of yours, and the events that are sent to it.",
        "IssuedWebhook": "A webhook with its new secret, which is shown this once.",
        "WebhookList": "A page of webhooks, newest first.",
        "NewWebhookRequest": "The endpoint, and the events that it wants.",
        "PatchedChangedWebhookRequest": "What is to change; any other field is refused.",
        "DeletedWebhook": "A webhook that was deleted.",
        "RotationRequest": "How long both secrets sign.",
        "RecoveryRequest": "From when on failed deliveries are sent again.",
        "RecoveryOutput": "A recovery, and how many deliveries it covers.",
        "TestEventRequestRequest": "Which sample is sent where.",
        "TestEventOutput": (
            "What your endpoint answered to a sample. There is no `status` where it did not answer."
        ),
        "EventOutput": "An event, exactly as it is sent to endpoints; `type` says what `data` has.",
        "EventList": "A page of events, newest first; with `after` oldest first.",
        "DeliveryOutput": "The sending of one event to one webhook.",
        "DeliveryList": "A page of deliveries, newest first.",
        "AttemptOutput": "One attempt to deliver.",
    },
    fields={
        "id": ("Its id.", "wh_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "url": (
            "Your endpoint: https; in test mode, where allowed, also http.",
            "https://shop.example.com/hooks",
        ),
        "events": (
            "What is sent there: types, `payment.*` and its like, or `*` for everything.",
            ["payment.completed", "refund.*"],
        ),
        "description": ("A note for yourself.", "Order system"),
        "is_active": ("Whether anything is sent.", True),
        "disabled_reason": (REASONS, "failing"),
        "secret_hint": ("The end of the secret, to tell one from another.", "whsec_…Hg4="),
        "secret": ("The secret that signs each request: keep it.", "whsec_…"),
        "deleted": ("Always `true`.", True),
        "expires_in": (
            "Seconds for which the old secret goes on signing beside the new one.",
            86400,
        ),
        "since": ("Deliveries created from then on.", "2026-11-20T00:00:00.000Z"),
        "deliveries": ("How many deliveries it covers.", 4),
        "webhooks": ("The webhooks of this page.", []),
        "DeliveryList.deliveries": ("The deliveries of this page.", []),
        "event_type": ("The type of the event.", "payment.completed"),
        "EventList.events": ("The events of this page.", []),
        "event": ("The event that was sent.", {}),
        "delivered": ("Whether your endpoint acknowledged it with a 2xx status.", True),
        "TestEventOutput.status": ("The HTTP status of the answer.", 200),
        "AttemptOutput.status": ("The HTTP status of the answer.", 200),
        "ms": ("How many milliseconds it took.", 48),
        "excerpt": ("The beginning of the answer.", "ok"),
        "error": ("What went wrong, where something did.", "No answer in time."),
        "DeliveryOutput.id": ("Its id.", "dlv_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "status": (STATUSES, "delivered"),
        "attempts": ("Every attempt, oldest first.", []),
        "attempted_at": ("When it was made.", "2026-11-21T14:02:00.123Z"),
        "next_attempt_at": ("When the next is due.", "2026-11-21T14:07:00.123Z"),
        "RecoveryOutput.id": ("The id of the webhook.", "wh_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "EventOutput.id": (
            "Its id: remember it, as an event may be sent twice.",
            "evt_0W1fDEfG5nXkZu7SyP3wRj9AmLs6Hh",
        ),
        "type": ("What has happened.", "payment.completed"),
        "created": ("When it happened.", "2026-11-21T14:02:00.123Z"),
        "data": ("What is known of it; its fields follow from `type`.", {}),
        "TestEventRequestRequest.data": (
            "Fields that replace those of the sample; a null leaves one out.",
            {"amount": 500, "metadata": {"order_id": "1001"}},
        ),
        "EventOutput.livemode": ("Whether it is about real money.", False),
        "test": (
            "Whether you have asked for it as a test. It says nothing that has happened, in live "
            "mode too.",
            False,
        ),
        "sequence": (
            "Its number, from 1 and without a gap per merchant and mode, in the order in which "
            "things happened. A test event has none.",
            1042,
        ),
        "previous_sequence": (
            "The number of the event before it about the same object; the first one has none.",
            1041,
        ),
    },
    shown={
        "WebhookOutput": ("description",),
        "IssuedWebhook": ("description",),
        "PatchedChangedWebhookRequest": ("events",),
        "RotationRequest": ("expires_in",),
        "TestEventRequestRequest": ("event_type",),
        "AttemptOutput": ("status", "excerpt"),
    },
)
