from django.urls import path

from refunds.views import RefundViewSet

urlpatterns = [
    path(
        "payments/<id:payment_id>/refund",
        RefundViewSet.as_view({"post": "create"}),
        name="payment-refund",
    ),
    path(
        "payments/<id:payment_id>/refunds",
        RefundViewSet.as_view({"get": "list_of_payment"}),
        name="payment-refunds",
    ),
    path("refunds", RefundViewSet.as_view({"get": "list"}), name="refunds"),
    path("refunds/<id:refund_id>", RefundViewSet.as_view({"get": "retrieve"}), name="refund"),
]
