"""An endpoint of the tests' own that answers with who it takes its caller for."""

from django.urls import path

from core.ids import random_base62
from core.responses import Response
from merchants.viewsets import CallerViewSet


class EchoViewSet(CallerViewSet):
    def show(self, request, **kwargs):
        caller = request.user
        return Response(
            {"merchant": caller.merchant_id, "livemode": caller.livemode, "actor": caller.actor}
        )

    def create(self, request):
        def work():
            owner = request.user.owner.id
            return self.created({"owner": owner, "secret": random_base62(20)}, "/v1/echo/1")

        return self.once(request, work, secret=True)


urlpatterns = [
    path("v1/echo", EchoViewSet.as_view({"get": "show", "patch": "show", "post": "create"})),
    path("v1/echo/<str:object_id>", EchoViewSet.as_view({"get": "show"})),
]
