from django.http import HttpResponse

from core.client_address import client_address, wide_network_of
from core.clock import request_now
from core.openapi import operation
from core.responses import Response
from core.visitor_budget import testers
from merchants.callers import CallerRequest
from merchants.standing import has_self_service_key
from merchants.viewsets import CallerViewSet
from payments.confirming import refuse_live_key
from sandbox.serializers import (
    ExpiredLink,
    MovedDeadlines,
    SimulatedPayment,
    Simulation,
    TimeStep,
    step_of,
)
from sandbox.simulating import PlayedOutcome, simulate_payment
from sandbox.time_travel import advance, expire_link_now

# What a row that is moved takes of the database, about: no processor time of ours shows it.
ROW_SECONDS = 0.0005


class SimulationViewSet(CallerViewSet):
    resource = "payment"

    @operation("Simulate how a test payment ends", request=Simulation, response=SimulatedPayment)
    def simulate(self, request: CallerRequest, payment_id: str) -> HttpResponse:
        """Ends it as if a customer had caused the chosen outcome, and sends the events.

        At a counter this creates a new payment. The response says how the payment then stands, with
        status 200 even if it has `failed`. Live keys are refused.
        """
        values = Simulation.parse(request.data)

        def work() -> Response:
            payment = simulate_payment(
                caller=request.user,
                payment_id=payment_id,
                outcome=PlayedOutcome(values["outcome"]),
                amount=values.get("amount"),
                now=request_now(),
            )
            return Response(SimulatedPayment.of(payment))

        return self.once(request, work)

    @operation("Expire a test payment", response=SimulatedPayment)
    def expire(self, request: CallerRequest, payment_id: str) -> HttpResponse:
        """Expires it now, as if `expires_at` had passed. Live keys are refused."""

        def work() -> Response:
            payment = simulate_payment(
                caller=request.user,
                payment_id=payment_id,
                outcome=PlayedOutcome.EXPIRED,
                amount=None,
                now=request_now(),
            )
            return Response(SimulatedPayment.of(payment))

        return self.once(request, work)


class LinkClockViewSet(CallerViewSet):
    resource = "payment link"

    @operation("Expire a test payment link", response=ExpiredLink)
    def expire(self, request: CallerRequest, link_id: str) -> HttpResponse:
        """Expires it now, as if `expires_at` had passed. Live keys are refused."""

        def work() -> Response:
            refuse_live_key(request.user)
            status = expire_link_now(caller=request.user, object_id=link_id, now=request_now())
            return Response(ExpiredLink.of({"id": link_id, "status": status}))

        return self.once(request, work)


class ClockViewSet(CallerViewSet):
    resource = "test clock"

    @operation(
        "Advance the clock in test mode",
        request=TimeStep,
        response=MovedDeadlines,
        operation_id="advanceTime",
    )
    def advance(self, request: CallerRequest) -> HttpResponse:
        """Moves the deadlines of your test objects closer: expiry, reminders, payouts, deliveries.

        Whatever is due as a result happens within a minute. A payout leaves within [[payout_turn]]
        and arrives within another [[payout_turn]]: advance the clock once for each. Timestamps of
        what has already happened do not change. Live keys are refused.
        """
        by = step_of(TimeStep.parse(request.data))

        def work() -> Response:
            refuse_live_key(request.user)
            at = request_now()
            counts = advance(merchant_id=request.user.owner.id, by=by, now=at)
            _charge(request, sum(counts.values()))
            return Response(MovedDeadlines.of({"moved_to": at + by, **counts}))

        return self.once(request, work)


def _charge(request: CallerRequest, rows: int) -> None:
    """Let the network pay whose key is anyone's: it asks again and again for what it made once."""
    if has_self_service_key(request.user):
        testers.charge(wide_network_of(client_address(request)), ROW_SECONDS * rows)
