from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from core.clock import now
from core.throttling import REGISTRATION_LIMITS
from merchants.authentication import CallerRequest, CallerViewSet, OpenViewSet
from merchants.models import Merchant
from merchants.serializers import ChangedMerchant, MerchantOutput, NewMerchant, RegistrationOutput
from merchants.services import create_merchant, update_merchant


class RegistrationViewSet(OpenViewSet):
    limits = REGISTRATION_LIMITS

    def create(self, request: Request) -> HttpResponse:
        values = NewMerchant.parse(request.data)

        def work() -> Response:
            registration = create_merchant(now=now(), **values)
            location = f"/v1/merchants/{registration.merchant.id}"
            return self.created(RegistrationOutput.of(registration), location)

        return self.once(request, work, secret=True)


class MerchantViewSet(CallerViewSet):
    def retrieve(self, request: CallerRequest, merchant_id: str) -> Response:
        merchant = Merchant.objects.visible_to(request.user).one(merchant_id)
        return Response(MerchantOutput.of(merchant))

    def partial_update(self, request: CallerRequest, merchant_id: str) -> Response:
        changes = ChangedMerchant.parse(request.data)
        merchant = update_merchant(
            caller=request.user, merchant_id=merchant_id, now=now(), **changes
        )
        return Response(MerchantOutput.of(merchant))
