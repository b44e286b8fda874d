"""Who is calling, and in which mode.

A key says both. In development mode a request without a key may name its merchant instead, or
none at all; it only ever reaches test objects.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpResponse
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from core.client_address import client_address, network_of
from core.clock import utc_now
from core.errors import Unauthorized, ValidationFailed
from core.idempotency import Work, answer_once
from core.pagination import PageQuery, page_of
from core.queries import query_of
from core.serializers import Output
from core.simulation import refuse_as_asked
from core.throttling import ADDRESS_LIMITS, MERCHANT_LIMITS, Limit, spend
from merchants.errors import MerchantInactive, MerchantNotFound, MerchantNotVerified
from merchants.key_use import note_use
from merchants.keys import digest, is_well_formed
from merchants.models import ApiKey, Merchant
from merchants.statuses import MerchantStatus

_BEARER = re.compile(r"bearer +([0-9A-Za-z_]+)", re.IGNORECASE)
_LOOKUPS = {"merchant_id": "id", "merchant_slug": "slug"}
DEVELOPMENT = "development"


@dataclass(frozen=True)
class Caller:
    """Whose request this is. No merchant: development mode, where none was named."""

    merchant: Merchant | None
    livemode: bool
    actor: str

    @property
    def merchant_id(self) -> str | None:
        return None if self.merchant is None else self.merchant.id

    @property
    def owner(self) -> Merchant:
        """The merchant that something new will belong to. Raises ValidationFailed without one."""
        if self.merchant is None:
            raise ValidationFailed(merchant_id="is required without an API key")
        return self.merchant


if TYPE_CHECKING:

    class CallerRequest(Request):
        """A request that has passed `ApiKeyAuthentication`."""

        @property  # type: ignore[override]  # the stub knows Django's users only
        def user(self) -> Caller: ...
        @user.setter
        def user(self, value: Any) -> None: ...

else:
    CallerRequest = Request


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer sk_…`, or nothing in development mode. One statement at most."""

    def authenticate(self, request: Request) -> tuple[Caller, None]:
        header = request.META.get("HTTP_AUTHORIZATION")
        if header is not None:
            return _caller_of_key(request, header), None
        if settings.DEVELOPMENT_MODE:
            return _development_caller(request), None
        raise Unauthorized("Send the header Authorization: Bearer <API key>.")

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class _ApiViewSet(ViewSet):
    """Counts every request against the limits of whoever sends it, and says what is left.

    No answer may be kept by a cache: each is for one caller, and some show a secret once.
    """

    http_method_names = ["get", "post", "patch", "delete", "head"]  # noqa: RUF012  # as the base
    limits: Sequence[Limit] = ADDRESS_LIMITS

    def created(self, data: Any, location: str) -> Response:
        """Answer 201 with the address of what was created."""
        return Response(data, status=201, headers={"Location": location})

    def once(self, request: Request, work: Work, *, secret: bool = False) -> HttpResponse:
        """Do the work of a POST once per Idempotency-Key of this caller.

        `secret`: the answer shows a secret, so it is stored encrypted.
        """
        return answer_once(request._request, self.scope_of(request), work, secret=secret)

    def scope_of(self, request: Request) -> str:
        """Name whoever limits and Idempotency-Keys belong to: here, an address."""
        return f"address {network_of(client_address(request._request))}"

    def check_throttles(self, request: Request) -> None:
        self.rate_headers = spend(self.limits, self.scope_of(request))

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        answer = super().finalize_response(request, response, *args, **kwargs)
        for name, value in getattr(self, "rate_headers", {}).items():
            answer[name] = value
        answer.setdefault("Cache-Control", "no-store")
        return answer


class CallerViewSet(_ApiViewSet):
    """The endpoints of a resource that belongs to merchants; `request.user` is a Caller."""

    authentication_classes = (ApiKeyAuthentication,)
    limits = MERCHANT_LIMITS

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not cast(CallerRequest, request).user.livemode:
            refuse_as_asked(request._request)

    def scope_of(self, request: Request) -> str:
        """Name the merchant and mode; without a merchant, the address."""
        caller = cast(CallerRequest, request).user
        if caller.merchant_id is None:
            return super().scope_of(request)
        return f"{caller.merchant_id} {'live' if caller.livemode else 'test'}"

    def page(
        self,
        request: CallerRequest,
        queryset: QuerySet[Any],
        output: type[Output],
        *,
        key: str,
        **context: Any,
    ) -> Response:
        """Answer a list with the page that the query string asks for, newest first."""
        page = page_of(queryset, PageQuery.parse(query_of(request)))
        items = output.each(page.items, **context)
        return Response(
            {key: items, "total": page.total, "limit": page.limit, "offset": page.offset}
        )


class OpenViewSet(_ApiViewSet):
    """Endpoints that need no key and look at none."""

    authentication_classes = ()


def _caller_of_key(request: Request, header: str) -> Caller:
    at = utc_now()
    key = _active_key(header, at)
    note_use(key, at)
    _refuse_status(key.merchant, livemode=key.livemode)
    _refuse_contradiction(request, key.merchant)
    return Caller(key.merchant, key.livemode, f"key:{key.id}")


def _active_key(header: str, at: datetime) -> ApiKey:
    """Find the key. Every refusal reads the same, whatever is wrong with the key."""
    bearer = _BEARER.fullmatch(header)
    secret = bearer[1] if bearer else ""
    if not is_well_formed(secret):
        raise Unauthorized("The API key is not valid.")
    key = ApiKey.objects.select_related("merchant").filter(hash=digest(secret)).first()
    if key is None or not key.is_active(at):
        raise Unauthorized("The API key is not valid.")
    return key


def _refuse_status(merchant: Merchant, *, livemode: bool) -> None:
    if merchant.status == MerchantStatus.SUSPENDED:
        raise MerchantInactive()
    unverified = merchant.status != MerchantStatus.VERIFIED
    if livemode and unverified and settings.REQUIRE_VERIFIED_MERCHANTS:
        raise MerchantNotVerified()


def _refuse_contradiction(request: Request, merchant: Merchant) -> None:
    """Refuse a `merchant_id` that names anybody but the owner of the key."""
    for name, value in _named(request):
        if name == "merchant_id" and value != merchant.id:
            raise ValidationFailed(merchant_id="must be the merchant of the API key, or left out")


def _development_caller(request: Request) -> Caller:
    named = list(_named(request))
    if not named:
        return Caller(None, livemode=False, actor=DEVELOPMENT)
    found = Merchant.objects.all()
    for name, value in named:
        if not isinstance(value, str):
            raise ValidationFailed(**{name: "must be a string"})
        found = found.filter(**{_LOOKUPS[name]: value})
    merchant = found.first()
    if merchant is None:
        raise MerchantNotFound()
    _refuse_status(merchant, livemode=False)
    return Caller(merchant, livemode=False, actor=DEVELOPMENT)


def _named(request: Request) -> Iterator[tuple[str, Any]]:
    """Yield each place where the request names a merchant: the query string, then the body."""
    for name in _LOOKUPS:
        for value in request.query_params.getlist(name):
            yield name, value
    if isinstance(request.data, dict):
        for name in _LOOKUPS:
            if request.data.get(name) is not None:
                yield name, request.data[name]
