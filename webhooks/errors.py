"""The refusals that concern webhooks, events and deliveries."""

from core.errors import CHECK_ID, WRONG_ID, ApiError


class WebhookNotFound(ApiError):
    status, code, message = 404, "WEBHOOK_NOT_FOUND", "There is no such webhook."
    cause, remedy = WRONG_ID, CHECK_ID
    test_mode = "`GET /v1/webhooks/wh_0`."


class EventNotFound(ApiError):
    status, code, message = 404, "EVENT_NOT_FOUND", "There is no such event."
    cause, remedy = WRONG_ID, CHECK_ID
    test_mode = "`GET /v1/events/evt_0`."


class DeliveryNotFound(ApiError):
    status, code, message = 404, "DELIVERY_NOT_FOUND", "There is no such delivery."
    cause, remedy = WRONG_ID, CHECK_ID
    test_mode = "`POST /v1/webhooks/<id>/deliveries/dlv_0/retry`."
