"""The looks of the back office, as django-unfold's setting. Functions are called at each use."""

from typing import Any

from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse_lazy


def _title(request: object) -> str:
    return f"{settings.SERVICE_NAME} back office"


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": _title,
    "SITE_HEADER": _title,
    "SITE_SYMBOL": "account_balance",
    "SITE_URL": None,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_HISTORY": False,
    "BORDER_RADIUS": "8px",
    "STYLES": [lambda request: static("backoffice/backoffice.css")],
    "SCRIPTS": [lambda request: static("backoffice/backoffice.js")],
    "SITE_FAVICONS": [
        {
            "rel": "icon",
            "type": "image/svg+xml",
            "href": lambda request: static("checkout/icon.svg"),
        }
    ],
    "ENVIRONMENT": lambda request: (
        ["Development", "warning"] if settings.DEVELOPMENT_MODE else None
    ),
    "ACCOUNT": {
        "navigation": [
            {"title": "Two-factor sign-in", "link": reverse_lazy("admin:two_factor_account")},
            {"title": "Change password", "link": reverse_lazy("admin:password_change")},
        ]
    },
    "SIDEBAR": {"show_search": False, "navigation": "backoffice.navigation.navigation"},
    "COLORS": {
        "primary": {
            "50": "oklch(97% .014 236)",
            "100": "oklch(94% .03 236)",
            "200": "oklch(89% .055 237)",
            "300": "oklch(80% .09 239)",
            "400": "oklch(70% .125 241)",
            "500": "oklch(60% .14 244)",
            "600": "oklch(50% .135 247)",
            "700": "oklch(43% .115 249)",
            "800": "oklch(37% .095 250)",
            "900": "oklch(31% .075 251)",
            "950": "oklch(23% .055 252)",
        }
    },
}
