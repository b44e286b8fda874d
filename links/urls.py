from django.urls import path

from links.views import PaymentLinkViewSet, PublicLinkViewSet

urlpatterns = [
    path(
        "payment-links",
        PaymentLinkViewSet.as_view({"post": "create", "get": "list"}),
        name="payment-links",
    ),
    path(
        "payment-links/<id:link_id>",
        PaymentLinkViewSet.as_view({"get": "retrieve", "patch": "partial_update"}),
        name="payment-link",
    ),
    path(
        "payment-links/<id:link_id>/deactivate",
        PaymentLinkViewSet.as_view({"post": "deactivate"}),
        name="payment-link-deactivate",
    ),
    path(
        "pay/<slug:merchant_slug>/<id:link_id>",
        PublicLinkViewSet.as_view({"get": "retrieve"}),
        name="public-payment-link",
    ),
]
