from django.urls import path

from payments.pay_request_views import LinkSendingViewSet, PaymentSendingViewSet
from payments.till_views import TillViewSet
from payments.views import PaymentViewSet

urlpatterns = [
    path("payments", PaymentViewSet.as_view({"post": "create", "get": "list"}), name="payments"),
    path(
        "payments/<id:payment_id>",
        PaymentViewSet.as_view({"get": "retrieve", "patch": "partial_update"}),
        name="payment",
    ),
    path(
        "payments/<id:payment_id>/cancel",
        PaymentViewSet.as_view({"post": "cancel"}),
        name="payment-cancel",
    ),
    path(
        "payments/<id:payment_id>/confirm",
        PaymentViewSet.as_view({"post": "confirm"}),
        name="payment-confirm",
    ),
    path(
        "payments/<id:payment_id>/send",
        PaymentSendingViewSet.as_view({"post": "send"}),
        name="payment-send",
    ),
    path(
        "payment-links/<id:link_id>/send",
        LinkSendingViewSet.as_view({"post": "send"}),
        name="payment-link-send",
    ),
    path(
        "till",
        TillViewSet.as_view({"get": "retrieve", "patch": "partial_update"}),
        name="till",
    ),
    path(
        "till/renew-screens",
        TillViewSet.as_view({"post": "renew_screens"}),
        name="till-renew-screens",
    ),
]
