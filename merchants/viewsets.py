"""The base classes of the API's viewsets: limits, Idempotency-Key, lists."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from typing import Any, cast

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from core.checked_headers import CheckedHeaders, add_headers, checked_headers
from core.client_address import client_address, network_of
from core.errors import InvalidRequest
from core.handler import SAFE_METHODS
from core.idempotency import Work, respond_once
from core.openapi import plural
from core.operations import (
    ACCEPTED_INPUTS,
    STRICT_META,
    WARNING,
    AcceptedInput,
    is_strict,
    refuse_body,
    refuse_unknown,
    refuse_unread,
    unread_fields,
    warning_of,
)
from core.pagination import Listed, Page, PageQuery, page_of
from core.queries import query_of
from core.responses import Response
from core.serializers import Output
from core.simulation import raise_simulated_error
from core.throttling import ADDRESS_LIMITS, MERCHANT_LIMITS, RateLimit, consume
from merchants.authentication import LOOKUPS, ApiKeyAuthentication
from merchants.callers import CallerRequest


class _ApiViewSet(ViewSet):
    """Counts every request against the caller's limits, and reports what is left.

    A parameter or field that an operation does not accept is refused, or named in a header. No
    response may be cached: each is for one caller, and some show a secret once.
    """

    resource = ""  # what the reference calls the objects, in the singular
    http_method_names = ["get", "post", "patch", "delete", "head"]  # noqa: RUF012  # as the base
    default_response_headers: Mapping[str, str] = {}  # type: ignore[assignment]  # see `finalize_response`
    limits: Sequence[RateLimit] = ADDRESS_LIMITS
    # What every operation accepts besides its own parameters and fields.
    always_accepted: Sequence[str] = ()

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer, and break the reference cycles that the framework leaves.

        View and request hold each other through the context of the parser; only the garbage
        collector would free them.
        """
        response = super().dispatch(request, *args, **kwargs)
        self.request.parser_context.clear()
        vars(self).clear()
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        accepted = ACCEPTED_INPUTS.get(getattr(type(self), self.action or "", None))  # type: ignore[arg-type]  # None is no key
        meta = request._request.META
        if accepted and meta.get("QUERY_STRING"):
            refuse_unknown(request.query_params, (*accepted.parameters, *self.always_accepted))
        if accepted and meta.get("CONTENT_LENGTH") and request._request.body:
            self._look_for_unread(request, accepted)

    def _look_for_unread(self, request: Request, accepted: AcceptedInput) -> None:
        """Note the fields of the body that nothing reads, or refuse them, as a GET always does.

        Clients send a null for a body that they leave out. What reads one refuses it.
        """
        body: Any = request.data
        if body is None:
            return
        if not isinstance(body, dict):
            raise InvalidRequest("The body must be a JSON object.")
        unread = unread_fields(body, accepted.body, self.always_accepted)
        if request.method in SAFE_METHODS:
            refuse_body(unread)
        if is_strict(request._request.META.get(STRICT_META, "")):
            refuse_unread(unread)
        if unread:
            self.warning_headers = {WARNING: warning_of(unread)}

    def created(self, data: Any, location: str) -> Response:
        """Answer 201 with the address of what was created."""
        return Response(data, status=201, headers={"Location": location})

    def once(
        self,
        request: Request,
        work: Work,
        *,
        secret: bool = False,
        shown_for: timedelta | None = None,
    ) -> HttpResponse:
        """Do the work of a POST once per Idempotency-Key of this caller.

        `secret`: the answer shows a secret, so it is stored encrypted, and replayed only to the API
        key that asked. Nothing is replayed after `shown_for`.
        """
        return respond_once(
            request._request,
            self.scope_of(request),
            work,
            secret=secret,
            shown_to=self.actor_of(request) if secret else "",
            shown_for=shown_for,
        )

    def scope_of(self, request: Request) -> str:
        """Return the owner of limits and Idempotency-Keys: here, an address."""
        return f"address {network_of(client_address(request._request))}"

    def actor_of(self, request: Request) -> str:
        """Return the API key that asks; here there is none."""
        return ""

    def check_throttles(self, request: Request) -> None:
        self.rate_headers = consume(self.limits, self.scope_of(request))

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        for headers in ("rate_headers", "warning_headers"):
            for name, value in getattr(self, headers, {}).items():
                response[name] = value
        add_headers(response, _constant_headers(frozenset(self.action_map)))
        return response


@cache
def _constant_headers(methods: frozenset[str]) -> CheckedHeaders:
    """Return the headers that all responses of an address have, by the methods that it takes."""
    allowed = [name.upper() for name in _ApiViewSet.http_method_names if name in methods]
    return checked_headers({"Allow": ", ".join(allowed), "Cache-Control": "no-store"})


class CallerViewSet(_ApiViewSet):
    """The endpoints of a resource that belongs to merchants; `request.user` is a Caller."""

    authentication_classes = (ApiKeyAuthentication,)
    limits = MERCHANT_LIMITS
    always_accepted = tuple(LOOKUPS)
    scoped_as = ""  # the resource that the scopes of keys name

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.scoped_as = plural(cls.resource).lower().replace(" ", "_")

    def perform_authentication(self, request: Request) -> None:
        """Look the caller up: reading `user` would do so within a context for errors in it."""
        request._authenticate()  # type: ignore[attr-defined]  # the stub lacks it

    def check_permissions(self, request: Request) -> None:
        """Refuse what the caller's key may not do, on every route, before any look-up."""
        caller = cast(CallerRequest, request).user
        caller.refuse_out_of_scope(self.scoped_as, writes=request.method not in SAFE_METHODS)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not cast(CallerRequest, request).user.livemode:
            raise_simulated_error(request._request)

    def scope_of(self, request: Request) -> str:
        """Return the merchant and mode; without a merchant, the address."""
        caller = cast(CallerRequest, request).user
        if caller.merchant_id is None:
            return super().scope_of(request)
        return f"{caller.merchant_id} {'live' if caller.livemode else 'test'}"

    def actor_of(self, request: Request) -> str:
        return cast(CallerRequest, request).user.actor

    def page(
        self,
        request: CallerRequest,
        listed: QuerySet[Any] | Listed,
        output: type[Output],
        *,
        key: str,
        **context: Any,
    ) -> Response:
        """Answer a list with the page that the query string asks for, newest first."""
        page = page_of(listed, PageQuery.parse(query_of(request)))
        return Response(page_body(page, output, key=key, **context))


def page_body(page: Page, output: type[Output], *, key: str, **context: Any) -> dict[str, Any]:
    """Return a page of a list as it goes out."""
    items = output.each(page.items, **context)
    counted = {"total": page.total, "limit": page.limit, "offset": page.offset}
    return {key: items, **counted, "has_more": page.has_more}


class OpenViewSet(_ApiViewSet):
    """Endpoints that need no key and read none."""

    authentication_classes = ()
