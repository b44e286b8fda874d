"""The words of payment links in the reference."""

from core.wording import Wording

STATUSES = """
Whether it accepts payments.

- `active`: it does.
- `deactivated`: you or staff have deactivated it.
- `expired`: `expires_at` has passed.
- `used_up`: it has been paid `max_uses` times.

Only an `active` link can be changed; the other statuses are final.
""".strip()

_LINK = "https://pay.example.com/pay/harbour-tours/link_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"

WORDING = Wording(
    objects={
        "LinkOutput": "A payment link as its merchant sees it.",
        "LinkWithStatistics": "A payment link as its merchant sees it, with its figures.",
        "LinkStatistics": (
            "Figures of the link. `opened` and `started` lag by a few seconds; `paid` and"
            " `collected` are exact."
        ),
        "LinkList": "A page of payment links, newest first.",
        "NewLinkRequest": "What customers pay at the link, how often, and until when.",
        "PatchedChangedLinkRequest": (
            "The fields to change. A null clears the value: no limit, no expiry, no redirect."
        ),
        "PublicLink": "A payment link as a customer sees it: without `metadata`.",
        "PublicMerchant": "The public details of a merchant.",
    },
    fields={
        "id": ("Its id.", "link_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "amount": ("What each customer pays, in cents. Absent if the customer enters it.", 4200),
        "description": ("What is paid for; shown to the customer.", "Harbour tour"),
        "url": ("The URL of its page, for customers.", _LINK),
        "qr_code": ("An image of the QR code for that URL.", f"{_LINK}/qr.png"),
        "status": (STATUSES, "active"),
        "is_active": ("Whether it accepts payments: the same as the status `active`.", True),
        "uses_count": ("How often it has been paid.", 3),
        "max_uses": ("How often it can be paid; absent if there is no limit.", 10),
        "expires_at": (
            "When it stops accepting payments; absent if it never expires.",
            "2026-12-31T23:59:59.000Z",
        ),
        "deactivated_at": ("When it was deactivated.", "2026-11-28T13:00:00.000Z"),
        "expired_at": ("When it expired.", "2026-11-28T13:00:00.000Z"),
        "statistics": ("Figures of the link.", {}),
        "opened": ("How often its page was opened.", 41),
        "started": ("How many payments were started.", 5),
        "paid": ("How many payments were completed.", 3),
        "collected": ("The total amount paid, in cents.", 12600),
        "payment_links": ("The payment links on this page.", []),
        "merchant": ("The merchant who is paid.", {}),
        "PublicMerchant.id": ("Its id.", "mer_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "name": ("The name of the business.", "Harbour Tours"),
        "slug": ("The short name in the URLs of its links.", "harbour-tours"),
        "category": ("Its line of business.", "entertainment"),
        "website": ("Its website.", "https://harbour-tours.example.com"),
        "support_email": ("The e-mail address for customers' questions.", "help@example.com"),
        "logo_url": ("Its logo.", "https://harbour-tours.example.com/logo.png"),
        "brand_color": ("The color of its pages.", "#00778b"),
    },
    shown={
        "LinkOutput": ("amount", "description", "max_uses"),
        "LinkWithStatistics": ("amount", "description", "max_uses"),
        "PublicLink": ("amount", "description", "max_uses"),
        "NewLinkRequest": ("amount", "description", "max_uses"),
        "PatchedChangedLinkRequest": ("description", "expires_at"),
    },
)
