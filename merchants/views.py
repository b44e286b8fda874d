from datetime import timedelta

from django.http import HttpResponse
from rest_framework.request import Request

from core.client_address import client_address, wide_network_of
from core.clock import request_now
from core.openapi import listing, operation
from core.responses import Response
from core.throttling import consume_registration
from merchants.callers import CallerRequest
from merchants.key_serializers import (
    DEFAULT_OVERLAP_SECONDS,
    ApiKeyOutput,
    IssuedApiKey,
    KeyRoll,
    NewApiKey,
    issued_body,
    key_draft_of,
)
from merchants.models import ApiKey, Merchant
from merchants.own_keys import create_own_key, revoke_own_key, roll_own_key
from merchants.serializers import ChangedMerchant, MerchantOutput, NewMerchant, RegistrationOutput
from merchants.services import create_merchant, update_merchant
from merchants.viewsets import CallerViewSet, OpenViewSet

# Long enough to retry if no answer came. A retry proves no more than an address, which others
# may share, and it is shown a live key.
KEYS_SHOWN_FOR = timedelta(hours=1)


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
        """Returns one key per mode in `api_keys`, shown only once: keep them on your server.

        No API key needed. Without a `slug`, one is derived from the name. A repeated
        `Idempotency-Key` gets the same response for [[keys_shown]], from the same IP address only.
        """
        values = NewMerchant.parse(request.data)
        address = client_address(request._request)

        def work() -> Response:
            registration = create_merchant(
                now=request_now(), network=wide_network_of(address), **values
            )
            location = f"/v1/merchants/{registration.merchant.id}"
            return self.created(RegistrationOutput.of(registration), location)

        return self.once(request, work, secret=True, shown_for=KEYS_SHOWN_FOR)


class MerchantViewSet(CallerViewSet):
    resource = "merchant"

    @operation("Read a merchant", response=MerchantOutput)
    def retrieve(self, request: CallerRequest, merchant_id: str) -> Response:
        """Only your own record can be read; another merchant's id returns 404."""
        merchant = Merchant.objects.visible_to(request.user).one(merchant_id)
        return Response(MerchantOutput.of(merchant))

    @operation("Change a merchant", request=ChangedMerchant, response=MerchantOutput)
    def partial_update(self, request: CallerRequest, merchant_id: str) -> Response:
        """Only the fields you send change; null clears a value or restores the default.

        Changes to these fields of a verified merchant wait for review in `pending_changes`: name,
        e-mail addresses, website, logo, postal address, tax number and payout schedule. The
        merchant is e-mailed about each of these changes, and whenever a live key changes category,
        phone, description, brand color or time zone, within the limit of `POST /v1/api-keys`.
        """
        changes = ChangedMerchant.parse(request.data)
        merchant = update_merchant(
            caller=request.user,
            merchant_id=merchant_id,
            now=request_now(),
            network=wide_network_of(client_address(request._request)),
            **changes,
        )
        return Response(MerchantOutput.of(merchant))


class ApiKeyViewSet(CallerViewSet):
    resource = "API key"

    @operation("Create an API key", request=NewApiKey, response=IssuedApiKey, status=201)
    def create(self, request: CallerRequest) -> HttpResponse:
        """Returns the `secret`, shown only once. Requires an unrestricted key (without scopes).

        A test key can create test keys. A live key can create test keys, and live keys that are
        restricted to scopes; the merchant is e-mailed about each new live key. New live keys, live
        webhooks, bank accounts and changes that need review share a limit of [[notices]] such
        e-mails a day; further requests get 429. At most [[keys_most]] keys can be active per mode.
        """
        draft = key_draft_of(NewApiKey.parse(request.data))

        def work() -> Response:
            issued = create_own_key(caller=request.user, draft=draft, now=request_now())
            return self.created(issued_body(issued), f"/v1/api-keys/{issued.key.id}")

        return self.once(request, work, secret=True)

    @listing("List API keys", item=ApiKeyOutput, key="api_keys")
    def list(self, request: CallerRequest) -> Response:
        """The keys of your key's mode, including revoked ones, newest first."""
        keys = ApiKey.objects.visible_to(request.user)
        return self.page(request, keys, ApiKeyOutput, key="api_keys")

    @operation("Read an API key", response=ApiKeyOutput)
    def retrieve(self, request: CallerRequest, key_id: str) -> Response:
        """Returns its scopes and when it was last used, but never its secret."""
        return Response(ApiKeyOutput.of(ApiKey.objects.visible_to(request.user).one(key_id)))

    @operation("Roll an API key", request=KeyRoll, response=IssuedApiKey, status=201)
    def roll(self, request: CallerRequest, key_id: str) -> HttpResponse:
        """Issues a new key with the same name and scopes; the old one expires after `expires_in`.

        Returns the new `secret`, shown only once. Requires an unrestricted key. A key
        can be rolled only once: while the old one still works, roll the new one or revoke the old
        one. A live key can always roll itself with `expires_in` 0; any other roll of a live key
        counts towards the limit of `POST /v1/api-keys`.
        """
        overlap = timedelta(
            seconds=KeyRoll.parse(request.data).get("expires_in", DEFAULT_OVERLAP_SECONDS)
        )

        def work() -> Response:
            issued = roll_own_key(
                caller=request.user, key_id=key_id, overlap=overlap, now=request_now()
            )
            return self.created(issued_body(issued), f"/v1/api-keys/{issued.key.id}")

        return self.once(request, work, secret=True)

    @operation("Revoke an API key", response=ApiKeyOutput)
    def revoke(self, request: CallerRequest, key_id: str) -> HttpResponse:
        """Immediate and permanent. Requires an unrestricted key, which can revoke itself."""

        def work() -> Response:
            key = revoke_own_key(caller=request.user, key_id=key_id, now=request_now())
            return Response(ApiKeyOutput.of(key))

        return self.once(request, work)
