from django.urls import path

from merchants.views import MerchantViewSet, RegistrationViewSet

urlpatterns = [
    path("merchants", RegistrationViewSet.as_view({"post": "create"}), name="merchants"),
    path(
        "merchants/<id:merchant_id>",
        MerchantViewSet.as_view({"get": "retrieve", "patch": "partial_update"}),
        name="merchant",
    ),
]
