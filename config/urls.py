"""Every URL of the service; each app lists its own."""

from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from config.front_page import front_page
from config.health import healthz, metrics, readyz
from config.reference import ReferenceView, openapi_document
from core.handler import read_only
from ledger.views import checkpoint_keys
from merchants.confirmation_page import ConfirmEmailPage

handler400 = "core.handler.bad_request"
handler403 = "core.handler.permission_denied"
handler404 = "checkout.error_pages.not_found"
handler500 = "config.failures.server_error"

# Ordered by frequency of use, as patterns are tried one after the other.
OTHER_ROOMS = ("refunds", "payouts", "links", "webhooks", "merchants", "sandbox")

urlpatterns: list[URLPattern | URLResolver] = [
    # Ordered by frequency of use, too.
    path("v1/", include("payments.urls")),
    # Under one prefix, as otherwise requests for the pages below would try each of these first.
    path("v1/", include([path("", include(f"{room}.urls")) for room in OTHER_ROOMS])),
    path("", include("links.image_urls")),
    path("", include("checkout.urls")),
    path("healthz", read_only(healthz), name="healthz"),
    path("readyz", read_only(readyz), name="readyz"),
    path("metrics", read_only(metrics), name="metrics"),
    path(".well-known/checkpoint-keys", read_only(checkpoint_keys), name="checkpoint-keys"),
    path("v1/openapi.json", read_only(openapi_document), name="openapi"),
    path("docs", read_only(ReferenceView.as_view(url_name="openapi")), name="docs"),
    path("docs/", read_only(RedirectView.as_view(pattern_name="docs")), name="docs-with-slash"),
    path("", read_only(front_page), name="front-page"),
    path("v1", read_only(front_page), name="front-of-v1"),
    path("v1/", read_only(front_page), name="front-of-v1"),
    path("confirm-email", ConfirmEmailPage.as_view(), name="confirm-email"),
    path("", include("backoffice.urls")),
]
