from django.http import HttpResponse

from core.clock import request_now
from core.openapi import listing, operation
from core.queries import query_of, read_filters
from core.responses import Response
from merchants.caller_lists import CallerList
from merchants.callers import CallerRequest
from merchants.viewsets import CallerViewSet
from payments.models import Payment
from refunds.counts import REFUNDS, total_of
from refunds.filters import FILTERS
from refunds.models import Refund
from refunds.serializers import NewRefund, RefundOutput, draft_of
from refunds.services import create_refund


class RefundViewSet(CallerViewSet):
    resource = "refund"

    @operation("Refund a payment", request=NewRefund, response=RefundOutput, status=201)
    def create(self, request: CallerRequest, payment_id: str) -> HttpResponse:
        """Refunds `amount`, or the whole remaining amount if it is omitted.

        Partial refunds may add up to the full payment. A refund is `pending` while your balance
        does not cover it. If you send `refund_amount_available`, the refund is refused unless it
        equals the remaining amount. Without `amount`, an unknown field is refused with 422 rather
        than only named in `X-Service-Warning`, because a misspelled `amount` would otherwise refund
        everything.
        """
        draft = draft_of(NewRefund.parse(request.data))

        def work() -> Response:
            refund = create_refund(
                caller=request.user, payment_id=payment_id, draft=draft, now=request_now()
            )
            return self.created(RefundOutput.of(refund), f"/v1/refunds/{refund.id}")

        return self.once(request, work)

    @listing("List refunds", item=RefundOutput, key="refunds", filters=FILTERS)
    def list(self, request: CallerRequest) -> Response:
        """Newest first."""
        caller, filters = request.user, read_filters(query_of(request), FILTERS)
        at = request_now()
        refunds = CallerList(Refund.objects.listed, caller, filters, at, total_of, REFUNDS)
        return self.page(request, refunds, RefundOutput, key="refunds")

    @operation("Read a refund", response=RefundOutput)
    def retrieve(self, request: CallerRequest, refund_id: str) -> Response:
        """If it `failed`, `failure_reason` says why, and the amount can be refunded again."""
        return Response(RefundOutput.of(Refund.objects.one_of(request.user, refund_id)))

    @listing(
        "List the refunds of a payment",
        item=RefundOutput,
        key="refunds",
        operation_id="listPaymentRefunds",
    )
    def list_of_payment(self, request: CallerRequest, payment_id: str) -> Response:
        """Newest first."""
        payment = Payment.objects.one_of(request.user, payment_id)
        refunds = Refund.objects.visible_to(request.user).filter(payment=payment)
        return self.page(request, refunds, RefundOutput, key="refunds")
