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
            "description": "A key of the merchant: `sk_live_…` for live, `sk_test_…` for test.",
        }


STATUSES = """
Whether staff have reviewed it.

- `unverified`: not yet.
- `verified`: it may take live payments.
- `suspended`: its keys are refused until staff release it.
""".strip()

SCHEDULES = """
When the balance is paid out: `daily`, `weekly`, `monthly`, or `manual`, by `POST /v1/payouts` only.
""".strip()

SCOPE_WORDS = """
What the key may do: a resource with `read` or `write`, which includes `read`; `*:read` reads all
there is. Left out, or `*`: everything.
""".strip()

_KEY_FIELDS = {
    **{
        f"{kind}.name": ("What you call it.", "Web shop")
        for kind in ("ApiKeyOutput", "IssuedApiKey", "NewApiKeyRequest")
    },
    **{
        f"{kind}.id": ("Its id.", "key_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg")
        for kind in ("ApiKeyOutput", "IssuedApiKey")
    },
    "hint": ("Its first and last characters, to tell it by.", "sk_test_…a1B2"),
    "scopes": (SCOPE_WORDS, ["payments:write", "refunds:read"]),
    "last_used_at": ("When it was last used, to the hour.", "2026-11-21T14:00:00.000Z"),
    "revoked_at": ("When it was revoked.", "2026-11-21T14:00:00.000Z"),
    "expires_in": ("Seconds for which the old key goes on working.", 3600),
    "secret": ("The key itself, shown this once.", "sk_test_…"),
    "api_keys": ("The keys of this page.", []),
}

WORDING = Wording(
    objects={
        "MerchantOutput": "A merchant as it sees itself.",
        "RegistrationOutput": "A new merchant with its first keys.",
        "ApiKeyOutput": "An API key, without its secret.",
        "ApiKeyList": "A page of API keys, newest first.",
        "IssuedApiKey": "A new API key with its secret, which is shown this once.",
        "NewApiKeyRequest": "What the new key is called, and what it may do.",
        "KeyRollRequest": "How long the old key goes on working.",
        "FirstKeys": "A key per mode, shown this once.",
        "NewMerchantRequest": "The fields of a registration.",
        "PatchedChangedMerchantRequest": (
            "What is to change. A null takes the value away, or puts the default back."
        ),
    },
    fields={
        "id": ("Its id.", "mer_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        **_KEY_FIELDS,
        "name": ("The name of the business; customers see it.", "Harbour Tours"),
        "slug": ("The short name in the addresses of its payment links.", "harbour-tours"),
        "category": ("The line of business, such as `retail` or `restaurant`.", "entertainment"),
        "category_code": ("The line of business as a code of ISO 18245.", "7999"),
        "email": ("Where the service writes to the merchant.", "owner@example.com"),
        "phone": ("The telephone of the business.", "+1 242 555 0190"),
        "description": ("What the business does.", "Tours of the harbour"),
        "website": ("The website of the business.", "https://harbour-tours.example.com"),
        "logo_url": (
            "A logo for the checkout page and payment links.",
            "https://harbour-tours.example.com/logo.png",
        ),
        "support_email": ("Where customers can ask.", "help@example.com"),
        "address": ("The postal address, on receipts and invoices.", "1 Bay Street, Nassau"),
        "business_type": ("The legal form.", "company"),
        "tax_id": ("The tax number, on receipts and invoices.", "100234567"),
        "brand_color": ("The colour of its pages.", "#00778b"),
        "time_zone": ("Whose days due dates and payouts follow (IANA).", "America/Nassau"),
        "payout_schedule": (SCHEDULES, "daily"),
        "status": (STATUSES, "unverified"),
        "fee_basis_points": ("The service's fee in hundredths of a percent.", 0),
        "email_confirmed_at": (
            "When `email` was confirmed by the link sent to it: one a day, which confirms every "
            "merchant of the address by its id.",
            "2026-11-21T14:05:00.000Z",
        ),
        "pending_changes": ("New values of public fields that wait for a review.", {}),
        "changed": ("The names of the fields that have changed.", ["name"]),
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
