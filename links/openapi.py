"""The words of payment links in the reference."""

from core.wording import Wording

STATUSES = """
Whether it can be paid at.

- `active`: it can.
- `deactivated`: you or staff have ended it.
- `expired`: `expires_at` has passed.
- `used_up`: it was paid `max_uses` times.

Only an `active` one can change, and the others are final.
""".strip()

_LINK = "https://pay.example.com/pay/harbour-tours/link_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"

WORDING = Wording(
    objects={
        "LinkOutput": "A payment link as its merchant sees it.",
        "LinkWithStatistics": "A payment link as its merchant sees it, with its figures.",
        "LinkStatistics": (
            "How the link does. `opened` and `started` are some seconds old; `paid` and"
            " `collected` are exact."
        ),
        "LinkList": "A page of payment links, newest first.",
        "NewLinkRequest": "What is to be paid at the link, how often and until when.",
        "PatchedChangedLinkRequest": (
            "What is to change. A null clears the value: no limit, no expiry, no redirect."
        ),
        "PublicLink": "A payment link as a customer sees it: without `metadata`.",
        "PublicMerchant": "What anyone may know of a merchant.",
    },
    fields={
        "id": ("Its id.", "link_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "amount": ("What each customer pays, in cents. Absent: the customer enters it.", 4200),
        "description": ("What is paid for; the customer reads it.", "Harbour tour"),
        "url": ("The address of its page, for customers.", _LINK),
        "qr_code": ("An image of the QR code of that address.", f"{_LINK}/qr.png"),
        "status": (STATUSES, "active"),
        "is_active": ("Whether it can be paid at: the same as the status `active`.", True),
        "uses_count": ("How often it was paid.", 3),
        "max_uses": ("How often it can be paid; absent where there is no limit.", 10),
        "expires_at": (
            "From when on it cannot be paid any more; absent where it never ends.",
            "2026-12-31T23:59:59.000Z",
        ),
        "deactivated_at": ("When it was deactivated.", "2026-11-28T13:00:00.000Z"),
        "expired_at": ("When it expired.", "2026-11-28T13:00:00.000Z"),
        "statistics": ("How the link does.", {}),
        "opened": ("How often its page was opened.", 41),
        "started": ("How many payments were begun.", 5),
        "paid": ("How many were paid.", 3),
        "collected": ("What was paid in all, in cents.", 12600),
        "payment_links": ("The payment links of this page.", []),
        "merchant": ("To whom it is paid.", {}),
        "PublicMerchant.id": ("Its id.", "mer_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "name": ("The name of the business.", "Harbour Tours"),
        "slug": ("The short name in the addresses of its links.", "harbour-tours"),
        "category": ("Its line of business.", "entertainment"),
        "website": ("Its website.", "https://harbour-tours.example.com"),
        "support_email": ("Where customers can ask.", "help@example.com"),
        "logo_url": ("Its logo.", "https://harbour-tours.example.com/logo.png"),
        "brand_color": ("The colour of its pages.", "#00778b"),
    },
    shown={
        "LinkOutput": ("amount", "description", "max_uses"),
        "LinkWithStatistics": ("amount", "description", "max_uses"),
        "PublicLink": ("amount", "description", "max_uses"),
        "NewLinkRequest": ("amount", "description", "max_uses"),
        "PatchedChangedLinkRequest": ("description", "expires_at"),
    },
)
