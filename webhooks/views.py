import orjson
from django.http import HttpResponse

from core.client_address import client_address, wide_network_of
from core.clock import request_now
from core.idempotency import REPLAYED
from core.openapi import listing, operation
from core.queries import query_of, read_filters
from core.responses import Response
from merchants.caller_lists import CallerList
from merchants.callers import CallerRequest
from merchants.standing import has_self_service_key
from merchants.viewsets import CallerViewSet, page_body
from webhooks.attempt_now import attempt_now, waiting_slot
from webhooks.counts import EVENTS, total_of
from webhooks.delivery_log import DeliveryLog
from webhooks.endpoints import create_webhook, delete_webhook, rotate_secret, update_webhook
from webhooks.event_types import EventType
from webhooks.feed import RETRY_SECONDS, FeedQuery, read_feed
from webhooks.filters import DELIVERY_FILTERS, EVENT_FILTERS, FEED_PARAMETERS
from webhooks.models import Event, Webhook
from webhooks.numbering import number_events
from webhooks.redelivery import request_recovery, retry_delivery
from webhooks.serializers import (
    ChangedWebhook,
    DeletedWebhook,
    DeliveryOutput,
    EventOutput,
    IssuedWebhook,
    NewWebhook,
    Recovery,
    RecoveryOutput,
    Rotation,
    TestEventOutput,
    TestEventRequest,
    WebhookOutput,
    changes_of,
    outcome_of_test,
    overlap_of,
)
from webhooks.test_event import start_test_delivery


class WebhookViewSet(CallerViewSet):
    resource = "webhook"

    @operation("Register a webhook", request=NewWebhook, response=IssuedWebhook, status=201)
    def create(self, request: CallerRequest) -> HttpResponse:
        """Registers an endpoint for events of your key's mode from now on.

        Returns the signing `secret`, shown only once: verify each request with it, as described
        above. `POST /v1/webhooks/test` checks that your endpoint can be reached and answers. The
        merchant is e-mailed about each live webhook, within the limit of `POST /v1/api-keys`. There
        may be [[endpoints]] webhooks per mode, until the merchant is verified
        [[endpoints_unverified]].
        """
        values = NewWebhook.parse(request.data)

        def work() -> Response:
            issued = create_webhook(
                caller=request.user,
                url=values["url"],
                events=values["events"],
                description=values.get("description", ""),
                now=request_now(),
            )
            body = IssuedWebhook.of(issued.webhook, secret=issued.secret)
            return self.created(body, f"/v1/webhooks/{issued.webhook.id}")

        return self.once(request, work, secret=True)

    @listing("List webhooks", item=WebhookOutput, key="webhooks")
    def list(self, request: CallerRequest) -> Response:
        """The webhooks of your key's mode, newest first."""
        webhooks = Webhook.objects.visible_to(request.user).not_deleted()
        return self.page(request, webhooks, WebhookOutput, key="webhooks")

    @operation("Read a webhook", response=WebhookOutput)
    def retrieve(self, request: CallerRequest, webhook_id: str) -> Response:
        """If it has been disabled, `disabled_reason` says why.

        `gone`: it answered 410. `failing`: [[webhook_off]] without a successful delivery.
        `requested`: disabled by you or by our staff.
        """
        webhook = Webhook.objects.visible_to(request.user).not_deleted().one(webhook_id)
        return Response(WebhookOutput.of(webhook))

    @operation("Change a webhook", request=ChangedWebhook, response=WebhookOutput)
    def partial_update(self, request: CallerRequest, webhook_id: str) -> Response:
        """Only the fields you send change. Pending deliveries go to the new `url`.

        While `is_active` is false, nothing is sent. Events that happen during that time are not
        sent later either: read them with `GET /v1/events`.

        In live mode the merchant is e-mailed when a webhook gets a new `url` or is switched on.
        Above [[notices]] such e-mails a day, also about keys and other changes, that is refused
        with 429.
        """
        changes = changes_of(ChangedWebhook.parse(request.data))
        webhook = update_webhook(
            caller=request.user, webhook_id=webhook_id, changes=changes, now=request_now()
        )
        return Response(WebhookOutput.of(webhook))

    @operation("Delete a webhook", response=DeletedWebhook)
    def destroy(self, request: CallerRequest, webhook_id: str) -> Response:
        """Permanent. Pending deliveries are not sent."""
        webhook = delete_webhook(caller=request.user, webhook_id=webhook_id, now=request_now())
        return Response(DeletedWebhook.of(webhook))

    @operation(
        "Rotate the signing secret",
        request=Rotation,
        response=IssuedWebhook,
        operation_id="rotateWebhookSecret",
    )
    def rotate_secret(self, request: CallerRequest, webhook_id: str) -> HttpResponse:
        """Returns the new `secret`, shown only once.

        For `expires_in` seconds (default: [[secrets_overlap]]), each request is signed with both
        secrets. With 0 the old one expires immediately: do that if it has leaked.
        """
        overlap = overlap_of(Rotation.parse(request.data))

        def work() -> Response:
            issued = rotate_secret(
                caller=request.user, webhook_id=webhook_id, overlap=overlap, now=request_now()
            )
            return Response(IssuedWebhook.of(issued.webhook, secret=issued.secret))

        return self.once(request, work, secret=True)

    @operation(
        "Send a test event",
        request=TestEventRequest,
        response=TestEventOutput,
        operation_id="sendTestEvent",
    )
    def test(self, request: CallerRequest) -> HttpResponse:
        """Sends a sample of the type immediately, whether or not the webhook subscribes to it.

        The response reports what your endpoint answered. A test event is not retried, and appears
        in no list of events.
        """
        values = TestEventRequest.parse(request.data)
        event_type = EventType(values.get("event_type", EventType.PAYMENT_COMPLETED))

        def work() -> Response:
            delivery = start_test_delivery(
                caller=request.user,
                webhook_id=values["webhook_id"],
                event_type=event_type,
                data=values.get("data", {}),
                now=request_now(),
            )
            return Response({"delivery_id": delivery.id})

        # Each registration gives a test key, so that one network counts as one caller, too.
        network = wide_network_of(client_address(request._request))
        # The key refers to the delivery, and the delivery holds the outcome.
        is_self_service = has_self_service_key(request.user)
        with waiting_slot(self.scope_of(request), network, is_self_service=is_self_service):
            begun = self.once(request, work)
            delivery = attempt_now(orjson.loads(begun.content)["delivery_id"])
        replayed = {name: begun[name] for name in (REPLAYED,) if name in begun}
        return Response(TestEventOutput.of(outcome_of_test(delivery)), headers=replayed)

    @operation(
        "Resend failed deliveries",
        request=Recovery,
        response=RecoveryOutput,
        operation_id="recoverDeliveries",
    )
    def recover(self, request: CallerRequest, webhook_id: str) -> HttpResponse:
        """Resends all failed deliveries created at or after `since`.

        They are sent in the background, a few at a time, and each gets a new round of [[attempts]]
        attempts. `deliveries` says how many there are.
        """
        since = Recovery.parse(request.data)["since"]

        def work() -> Response:
            webhook, count = request_recovery(
                caller=request.user, webhook_id=webhook_id, since=since, now=request_now()
            )
            return Response(RecoveryOutput.of(webhook, deliveries=count))

        return self.once(request, work)


class DeliveryViewSet(CallerViewSet):
    resource = "delivery"

    @listing(
        "List the deliveries to a webhook",
        item=DeliveryOutput,
        key="deliveries",
        filters=DELIVERY_FILTERS,
    )
    def list(self, request: CallerRequest, webhook_id: str) -> Response:
        """Newest first, each with its attempts and the start of each response."""
        webhook = Webhook.objects.visible_to(request.user).not_deleted().one(webhook_id)
        filters = read_filters(query_of(request), DELIVERY_FILTERS)
        deliveries = DeliveryLog(webhook, filters, request_now())
        return self.page(request, deliveries, DeliveryOutput, key="deliveries")

    @operation("Resend a delivery", response=DeliveryOutput)
    def retry(self, request: CallerRequest, webhook_id: str, delivery_id: str) -> HttpResponse:
        """Immediate, even if it was delivered. If it has ended, a new round of attempts begins; if
        it still waits, this attempt comes on top of the scheduled ones.
        """

        def work() -> Response:
            delivery = retry_delivery(
                caller=request.user,
                webhook_id=webhook_id,
                delivery_id=delivery_id,
                now=request_now(),
            )
            return Response(DeliveryOutput.of(delivery))

        return self.once(request, work)


class EventViewSet(CallerViewSet):
    resource = "event"

    @listing("List events", item=EventOutput, key="events", filters=EVENT_FILTERS | FEED_PARAMETERS)
    def list(self, request: CallerRequest) -> Response:
        """Every event of your key's mode, newest first, whether or not you have a webhook.

        With `after` it is a feed, oldest first and without gaps: start from 0, then continue from
        the `sequence` of the last event you have handled. With `wait` the request is answered as
        soon as there is a new event, or with an empty list once the time is up. Under load the
        empty list may come early; `Retry-After` then says when to ask again.

        Events of one request, such as those of a refund, are listed as they happened, the last one
        first. Requests that overlap are listed by when they began (`created`), and numbered by when
        they took effect: if the two differ, go by `sequence`.
        """
        caller, query = request.user, query_of(request)
        filters = read_filters(query, EVENT_FILTERS)
        number_events()
        if feed := FeedQuery.parse(query):
            page = read_feed(caller=caller, query=feed, lookups=filters)
            return Response(
                page_body(page.page, EventOutput, key="events"),
                headers={"Retry-After": str(RETRY_SECONDS)} if page.is_early else None,
            )
        events = CallerList(Event.objects.listed, caller, filters, request_now(), total_of, EVENTS)
        return self.page(request, events, EventOutput, key="events")

    @operation("Read an event", response=EventOutput)
    def retrieve(self, request: CallerRequest, event_id: str) -> Response:
        """Returns the event exactly as it is sent to webhooks."""
        number_events()
        event = Event.objects.visible_to(request.user).with_number().one(event_id)
        return Response(EventOutput.of(event))
