"""API keys in the OpenAPI document, and the words for merchants there."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension

from core.wording import Wording


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its metaclass has no types
    """The header that names the merchant and the mode."""

    target_class = "merchants.authentication.ApiKeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "The merchant's key: `sk_live_…` in live, `sk_test_…` in test mode.",
        }


STATUSES = """
Whether staff have verified the merchant.

- `unverified`: not yet.
- `verified`: it may take live payments.
- `suspended`: its keys are refused until staff lift the suspension.
""".strip()

SCHEDULES = """
When the balance is paid out: `daily`, `weekly`, `monthly` or `manual` (only by `POST /v1/payouts`).
""".strip()

SCOPE_WORDS = """
What the key may do: a resource with `read`, or with `write`, which includes `read`. `*:read` can
read everything.
""".strip()

_KEY_FIELDS = {
    **{
        f"{kind}.name": ("Your name for it.", "Web shop")
        for kind in ("ApiKeyOutput", "IssuedApiKey", "NewApiKeyRequest")
    },
    **{
        f"{kind}.id": ("Its id.", "key_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg")
        for kind in ("ApiKeyOutput", "IssuedApiKey")
    },
    "hint": ("Its first and last characters, to recognize it.", "sk_test_…a1B2"),
    "scopes": (f"{SCOPE_WORDS} `*`: everything.", ["payments:write", "refunds:read"]),
    "NewApiKeyRequest.scopes": (
        f"{SCOPE_WORDS} Omit it for a test key that may do everything; a live key must have it.",
        ["payments:write", "refunds:read"],
    ),
    "last_used_at": ("When it was last used, to the hour.", "2026-11-21T14:00:00.000Z"),
    "revoked_at": ("When it was revoked.", "2026-11-21T14:00:00.000Z"),
    "expires_in": ("Seconds for which the old key keeps working.", 3600),
    "secret": ("The key itself, shown only once.", "sk_test_…"),
    "api_keys": ("The keys on this page.", []),
}

WORDING = Wording(
    objects={
        "MerchantOutput": "A merchant's own record.",
        "RegistrationOutput": "A new merchant with its first keys.",
        "ApiKeyOutput": "An API key, without its secret.",
        "ApiKeyList": "A page of API keys, newest first.",
        "IssuedApiKey": "A new API key with its secret, which is shown only once.",
        "NewApiKeyRequest": "The new key's name and scopes.",
        "KeyRollRequest": "How long the old key keeps working.",
        "FirstKeys": "A key for each mode, shown only once.",
        "NewMerchantRequest": "The fields of a registration.",
        "PatchedChangedMerchantRequest": (
            "The fields to change. A null clears the value or restores the default."
        ),
    },
    fields={
        "id": ("Its id.", "mer_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        **_KEY_FIELDS,
        "name": ("The name of the business; shown to customers.", "Harbour Tours"),
        "slug": ("The short name in the URLs of its payment links.", "harbour-tours"),
        "category": ("The line of business, such as `retail` or `restaurant`.", "entertainment"),
        "category_code": ("The merchant category code (ISO 18245).", "7999"),
        "email": ("The address for e-mails from the service.", "owner@example.com"),
        "phone": ("The phone number of the business.", "+1 242 555 0190"),
        "description": ("What the business does.", "Tours of the harbour"),
        "website": ("The website of the business.", "https://harbour-tours.example.com"),
        "logo_url": (
            "A logo for the checkout page and payment links.",
            "https://harbour-tours.example.com/logo.png",
        ),
        "support_email": ("The e-mail address for customers' questions.", "help@example.com"),
        "address": ("The postal address, on receipts and invoices.", "1 Bay Street, Nassau"),
        "business_type": ("The legal form.", "company"),
        "tax_id": ("The tax number, on receipts and invoices.", "100234567"),
        "brand_color": ("The color of its pages.", "#00778b"),
        "time_zone": ("The time zone of due dates and payouts (IANA).", "America/Nassau"),
        "payout_schedule": (SCHEDULES, "daily"),
        "status": (STATUSES, "unverified"),
        "fee_basis_points": ("The service's fee in basis points (hundredths of a percent).", 0),
        "email_confirmed_at": (
            "When `email` was confirmed with the link sent to it. One link a day is sent to an "
            "address; its page can confirm every merchant with that address, by its id.",
            "2026-11-21T14:05:00.000Z",
        ),
        "pending_changes": ("New values of public fields, waiting for review.", {}),
        "changed": ("The names of the changed fields.", ["name"]),
        "RegistrationOutput.api_keys": ("The first keys: keep them on your server.", {}),
        "test": ("The key of test mode.", "sk_test_…"),
        "live": ("The key of live mode.", "sk_live_…"),
    },
    shown={
        "NewApiKeyRequest": ("scopes",),
        "KeyRollRequest": ("expires_in",),
        "NewMerchantRequest": ("slug", "category"),
        "MerchantOutput": ("category_code",),
        "RegistrationOutput": ("category_code",),
        "PatchedChangedMerchantRequest": ("website", "brand_color"),
    },
)
