from django.urls import path

from refunds.inquiry_views import InquiryViewSet
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
    path("inquiries", InquiryViewSet.as_view({"get": "list"}), name="inquiries"),
    path("inquiries/<id:inquiry_id>", InquiryViewSet.as_view({"get": "retrieve"}), name="inquiry"),
    path(
        "inquiries/<id:inquiry_id>/answer",
        InquiryViewSet.as_view({"post": "answer"}),
        name="inquiry-answer",
    ),
]
