from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from core.client_address import client_address, wide_network_of
from core.clock import request_now
from core.openapi import operation
from core.throttling import consume_registration
from merchants.callers import CallerRequest
from merchants.models import Merchant
from merchants.serializers import ChangedMerchant, MerchantOutput, NewMerchant, RegistrationOutput
from merchants.services import create_merchant, update_merchant
from merchants.viewsets import CallerViewSet, OpenViewSet


class RegistrationViewSet(OpenViewSet):
    resource = "merchant"

    def check_throttles(self, request: Request) -> None:
        network = wide_network_of(client_address(request._request))
        self.rate_headers = consume_registration(network)

    @operation(
        "Register a merchant",
        request=NewMerchant,
        response=RegistrationOutput,
        status=201,
        open_to_all=True,
    )
    def create(self, request: Request) -> HttpResponse:
        """The answer shows a key per mode in `api_keys`, this once: keep them on your server.

        Needs no key. Without a `slug`, one is made of the name.
        """
        values = NewMerchant.parse(request.data)
        address = client_address(request._request)

        def work() -> Response:
            registration = create_merchant(
                now=request_now(), network=wide_network_of(address), **values
            )
            location = f"/v1/merchants/{registration.merchant.id}"
            return self.created(RegistrationOutput.of(registration), location)

        return self.once(request, work, secret=True)


class MerchantViewSet(CallerViewSet):
    resource = "merchant"

    @operation("Read a merchant", response=MerchantOutput)
    def retrieve(self, request: CallerRequest, merchant_id: str) -> Response:
        """Your own record: another merchant's does not exist for you."""
        merchant = Merchant.objects.visible_to(request.user).one(merchant_id)
        return Response(MerchantOutput.of(merchant))

    @operation("Change a merchant", request=ChangedMerchant, response=MerchantOutput)
    def partial_update(self, request: CallerRequest, merchant_id: str) -> Response:
        """Only the fields you send change; null takes a value away or puts the default back."""
        changes = ChangedMerchant.parse(request.data)
        merchant = update_merchant(
            caller=request.user,
            merchant_id=merchant_id,
            now=request_now(),
            network=wide_network_of(client_address(request._request)),
            **changes,
        )
        return Response(MerchantOutput.of(merchant))
