from django.http import HttpResponse

from core.clock import request_now
from core.openapi import operation
from core.responses import Response
from merchants.callers import CallerRequest
from merchants.viewsets import CallerViewSet
from payments.counters import renew_screens
from payments.till_serializers import ChangedTill, TillOutput
from payments.tills import till_of, update_till


class TillViewSet(CallerViewSet):
    resource = "till"

    @operation("Read the till", response=TillOutput)
    def retrieve(self, request: CallerRequest) -> Response:
        """The products that your counters offer, and whether customers may add a tip."""
        caller = request.user
        till = till_of(merchant_id=caller.owner.id, livemode=caller.livemode)
        return Response(TillOutput.of(till))

    @operation("Change the till", request=ChangedTill, response=TillOutput)
    def partial_update(self, request: CallerRequest) -> Response:
        """Sets up to nine products for the counter screen, and whether tips are allowed.

        `products` replaces the whole list.
        """
        changes = ChangedTill.parse(request.data)
        return Response(
            TillOutput.of(update_till(caller=request.user, changes=changes, now=request_now()))
        )

    @operation("Renew the counter screens", response=TillOutput, operation_id="renewCounterScreens")
    def renew_screens(self, request: CallerRequest) -> HttpResponse:
        """Gives each counter another `counter_url`; the present ones stop working at once.

        Use it if someone may have seen one, or after a live key was stolen: the screen of a counter
        works without any key. Printed codes stay as they are.
        """

        def work() -> Response:
            renew_screens(caller=request.user, now=request_now())
            return self.retrieve(request)

        return self.once(request, work)
