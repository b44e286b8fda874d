"""The refusals that concern webhooks, events and deliveries."""

from core.errors import ApiError


class WebhookNotFound(ApiError):
    status, code, message = 404, "WEBHOOK_NOT_FOUND", "There is no such webhook."


class EventNotFound(ApiError):
    status, code, message = 404, "EVENT_NOT_FOUND", "There is no such event."


class DeliveryNotFound(ApiError):
    status, code, message = 404, "DELIVERY_NOT_FOUND", "There is no such delivery."
