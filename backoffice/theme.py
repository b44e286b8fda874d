"""The looks of the back office, as django-unfold's setting. What it names is imported on use."""

from typing import Any

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "backoffice.navigation.site_title",
    "SITE_HEADER": "backoffice.navigation.site_title",
    "SITE_SYMBOL": "account_balance",
    "SITE_URL": None,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_HISTORY": False,
    "BORDER_RADIUS": "8px",
    "STYLES": ["backoffice.navigation.stylesheet"],
    "SCRIPTS": ["backoffice.navigation.script"],
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": "backoffice.navigation.favicon"}
    ],
    "ENVIRONMENT": "backoffice.navigation.environment",
    "ACCOUNT": {"navigation": "backoffice.navigation.account_links"},
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
