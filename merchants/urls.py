from django.urls import path

from merchants.views import ApiKeyViewSet, MerchantViewSet, RegistrationViewSet

urlpatterns = [
    path("merchants", RegistrationViewSet.as_view({"post": "create"}), name="merchants"),
    path(
        "merchants/<id:merchant_id>",
        MerchantViewSet.as_view({"get": "retrieve", "patch": "partial_update"}),
        name="merchant",
    ),
    path("api-keys", ApiKeyViewSet.as_view({"post": "create", "get": "list"}), name="api-keys"),
    path("api-keys/<id:key_id>", ApiKeyViewSet.as_view({"get": "retrieve"}), name="api-key"),
    path("api-keys/<id:key_id>/roll", ApiKeyViewSet.as_view({"post": "roll"}), name="api-key-roll"),
    path(
        "api-keys/<id:key_id>/revoke",
        ApiKeyViewSet.as_view({"post": "revoke"}),
        name="api-key-revoke",
    ),
]
