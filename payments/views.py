from django.http import HttpResponse

from core.clock import request_now
from core.errors import ApiError
from core.ids import new_id
from core.openapi import listing, operation
from core.pagination import PageQuery, page_of
from core.queries import query_of, read_filters
from core.responses import Response
from core.spreadsheets import CSV_LINES, is_csv
from merchants.caller_lists import CallerList
from merchants.callers import CallerRequest
from merchants.searches import search_slot
from merchants.viewsets import CallerViewSet
from payments.confirming import confirm_payment
from payments.counts import PAYMENTS, total_of
from payments.filters import FILTERS, QR_FORMAT, chosen_format
from payments.models import Payment
from payments.payment_file import file_of_payments
from payments.qr_payload import qr_payload
from payments.serializers import (
    CanceledPayment,
    ChangedPayment,
    Confirmation,
    ConfirmedPayment,
    NewPayment,
    PaymentOutput,
    PaymentSummary,
    draft_of,
)
from payments.services import cancel_payment, create_payment, update_payment
from payments.statuses import PaymentStatus


class PaymentViewSet(CallerViewSet):
    resource = "payment"

    @operation("Create a payment", request=NewPayment, response=PaymentOutput, status=201)
    def create(self, request: CallerRequest) -> HttpResponse:
        """Send the customer to its `checkout_url`, or show its QR code.

        Deliver once its status is `completed`: wait for the event `payment.completed`, or poll the
        payment. Fields that belong to a different `payment_mode` are ignored and named in the
        header `X-Service-Warning`.
        """
        values = NewPayment.parse(request.data)
        at = request_now()
        draft = draft_of(values, livemode=request.user.livemode, now=at)
        payment_id = new_id("pay", at)
        payload = qr_payload(payment_id, chosen_format(values))

        def work() -> Response:
            payment = create_payment(
                caller=request.user, payment_id=payment_id, draft=draft, now=at
            )
            body = PaymentOutput.of(payment, caller=request.user, now=at, qr_payload=payload)
            return self.created(body, f"/v1/payments/{payment_id}")

        return self.once(request, work)

    @listing("List payments", item=PaymentSummary, key="payments", filters=FILTERS)
    def list(self, request: CallerRequest) -> HttpResponse:
        """Newest first, without `qr_payload`.

        A CSV page has up to [[csv_lines]] rows; continue with `starting_after`.
        """
        query, at = query_of(request), request_now()
        lookups = read_filters(query, FILTERS)
        payments = CallerList(Payment.objects.listed, request.user, lookups, at, total_of, PAYMENTS)
        with search_slot(request.user, lookups):
            if is_csv(query, request.META.get("HTTP_ACCEPT", "")):
                page = PageQuery.parse({"limit": str(CSV_LINES), **query}, most=CSV_LINES)
                found = page_of(payments, page, lambda: 0).items
                return file_of_payments(PaymentSummary.each(found, caller=request.user, now=at))
            shown = {"caller": request.user, "now": at}
            return self.page(request, payments, PaymentSummary, key="payments", **shown)

    @operation(
        "Read a payment",
        response=PaymentOutput,
        parameters={"qr_format": QR_FORMAT},
    )
    def retrieve(self, request: CallerRequest, payment_id: str) -> Response:
        """Returns its current status: `expired` as soon as `expires_at` has passed."""
        chosen = chosen_format(query_of(request))
        payment = Payment.objects.one_of(request.user, payment_id)
        payload = qr_payload(payment.id, chosen)
        at = request_now()
        return Response(PaymentOutput.of(payment, caller=request.user, now=at, qr_payload=payload))

    @operation("Change a payment", request=ChangedPayment, response=PaymentOutput)
    def partial_update(self, request: CallerRequest, payment_id: str) -> Response:
        """Changes `description` and `metadata`, in any status; `metadata` is replaced as a whole.

        Receipts keep the description that was paid for. A customer at the checkout has to see the
        new text before paying. A request that names any other field is refused and changes nothing.
        """
        changes = ChangedPayment.parse(request.data)
        at = request_now()
        payment = update_payment(
            caller=request.user, payment_id=payment_id, changes=changes, now=at
        )
        payload = qr_payload(payment.id, chosen_format({}))
        return Response(PaymentOutput.of(payment, caller=request.user, now=at, qr_payload=payload))

    @operation("Cancel a payment", response=CanceledPayment)
    def cancel(self, request: CallerRequest, payment_id: str) -> HttpResponse:
        """Only while it is `created` or `pending`; refund a completed payment instead.

        In `requires_action` and `processing` its customer is paying: it is refused with
        `PAYMENT_IN_PROGRESS`.

        A canceled counter accepts no more payments. Anyone with a payment's `checkout_url` can also
        cancel it there without signing in, and any key that can read the payment has that URL.
        """

        def work() -> Response:
            payment = cancel_payment(caller=request.user, payment_id=payment_id, now=request_now())
            return Response(CanceledPayment.of(payment))

        return self.once(request, work)

    @operation("Confirm a test payment", request=Confirmation, response=ConfirmedPayment)
    def confirm(self, request: CallerRequest, payment_id: str) -> HttpResponse:
        """Pays a test payment as its customer would at the checkout.

        `customer_phone` selects the test customer; one of the test numbers above also decides the
        outcome. At a counter the response is the new payment. Live keys are refused.
        """
        values = Confirmation.parse(request.data)

        def work() -> Response | ApiError:
            payment = confirm_payment(
                caller=request.user,
                payment_id=payment_id,
                phone=values.get("customer_phone"),
                amount=values.get("amount"),
                now=request_now(),
            )
            failed = payment.status == PaymentStatus.FAILED
            return payment.failure if failed else Response(ConfirmedPayment.of(payment))

        return self.once(request, work)
