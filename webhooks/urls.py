from django.urls import path

from webhooks.views import DeliveryViewSet, EventViewSet, WebhookViewSet

urlpatterns = [
    path("webhooks", WebhookViewSet.as_view({"post": "create", "get": "list"}), name="webhooks"),
    path("webhooks/test", WebhookViewSet.as_view({"post": "test"}), name="webhook-test"),
    path(
        "webhooks/<id:webhook_id>",
        WebhookViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
        name="webhook",
    ),
    path(
        "webhooks/<id:webhook_id>/rotate-secret",
        WebhookViewSet.as_view({"post": "rotate_secret"}),
        name="webhook-rotate-secret",
    ),
    path(
        "webhooks/<id:webhook_id>/recover",
        WebhookViewSet.as_view({"post": "recover"}),
        name="webhook-recover",
    ),
    path(
        "webhooks/<id:webhook_id>/deliveries",
        DeliveryViewSet.as_view({"get": "list"}),
        name="webhook-deliveries",
    ),
    path(
        "webhooks/<id:webhook_id>/deliveries/<id:delivery_id>/retry",
        DeliveryViewSet.as_view({"post": "retry"}),
        name="webhook-delivery-retry",
    ),
    path("events", EventViewSet.as_view({"get": "list"}), name="events"),
    path("events/<id:event_id>", EventViewSet.as_view({"get": "retrieve"}), name="event"),
]
