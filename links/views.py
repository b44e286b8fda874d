from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe
from rest_framework.request import Request

from core.clock import request_now
from core.openapi import listing, operation
from core.pictures import qr_code_of
from core.queries import query_of, read_filters
from core.responses import Response
from links.counts import total_of
from links.filters import FILTERS
from links.models import PaymentLink
from links.serializers import (
    ChangedLink,
    LinkOutput,
    LinkWithStatistics,
    NewLink,
    PublicLink,
    changes_of,
    draft_of,
)
from links.services import create_link, deactivate_link, read_public_link, update_link
from links.statistics import note_opened
from merchants.caller_lists import CallerList
from merchants.callers import CallerRequest
from merchants.searches import search_slot
from merchants.viewsets import CallerViewSet, OpenViewSet


class PaymentLinkViewSet(CallerViewSet):
    resource = "payment link"

    @operation("Create a payment link", request=NewLink, response=LinkOutput, status=201)
    def create(self, request: CallerRequest) -> HttpResponse:
        """Creates a page where many customers can pay, each with a separate payment.

        Without an amount, the customer enters it. `max_uses` limits completed payments.
        """
        values = NewLink.parse(request.data)
        draft = draft_of(values, livemode=request.user.livemode)

        def work() -> Response:
            at = request_now()
            link = create_link(caller=request.user, draft=draft, now=at)
            return self.created(LinkOutput.of(link, now=at), f"/v1/payment-links/{link.id}")

        return self.once(request, work)

    @listing("List payment links", item=LinkOutput, key="payment_links", filters=FILTERS)
    def list(self, request: CallerRequest) -> Response:
        """Newest first."""
        lookups, at = read_filters(query_of(request), FILTERS), request_now()
        links = CallerList(PaymentLink.objects.listed, request.user, lookups, at, total_of)
        with search_slot(request.user, lookups):
            return self.page(request, links, LinkOutput, key="payment_links", now=at)

    @operation("Read a payment link", response=LinkWithStatistics)
    def retrieve(self, request: CallerRequest, link_id: str) -> Response:
        """Includes how often it was opened and paid, and the amount collected."""
        link = PaymentLink.objects.visible_to(request.user).to_show().one(link_id)
        return Response(LinkWithStatistics.of(link, now=request_now()))

    @operation("Change a payment link", request=ChangedLink, response=LinkOutput)
    def partial_update(self, request: CallerRequest, link_id: str) -> Response:
        """Only while it is active. Only the fields you send change; null removes a limit."""
        changes = changes_of(ChangedLink.parse(request.data), livemode=request.user.livemode)
        at = request_now()
        link = update_link(caller=request.user, link_id=link_id, changes=changes, now=at)
        return Response(LinkOutput.of(link, now=at))

    @operation("Deactivate a payment link", response=LinkOutput)
    def deactivate(self, request: CallerRequest, link_id: str) -> HttpResponse:
        """Permanent. Payments already started at the link can no longer be paid."""

        def work() -> Response:
            at = request_now()
            link = deactivate_link(caller=request.user, link_id=link_id, now=at)
            return Response(LinkOutput.of(link, now=at))

        return self.once(request, work)


class PublicLinkViewSet(OpenViewSet):
    resource = "payment link"

    @operation(
        "Read a payment link as a customer",
        response=PublicLink,
        open_to_all=True,
        operation_id="getPublicPaymentLink",
    )
    def retrieve(self, request: Request, merchant_slug: str, link_id: str) -> Response:
        """What anyone with the URL may see: the link, and the merchant's name and branding.

        No API key needed.
        """
        link = read_public_link(merchant_slug, link_id)
        note_opened(link.id)
        return Response(PublicLink.of(link, now=request_now()))


@require_safe
def qr_image(request: HttpRequest, merchant_slug: str, link_id: str, form: str) -> HttpResponseBase:
    """Draw the address of a link. It never changes, so neither does the picture."""
    link = PaymentLink.objects.at(merchant_slug).select_related("merchant").filter(pk=link_id)
    if not (found := link.first()):
        raise Http404
    return qr_code_of(request, found.url, form)
