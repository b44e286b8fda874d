"""Who is calling, and in which mode.

A key answers both. In development mode a request without a key may name its merchant instead, or
none at all; it only ever reaches test objects.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from core.clock import request_now
from core.errors import Unauthorized, ValidationFailed
from merchants.callers import DEVELOPMENT, Caller
from merchants.errors import INVALID_HEADER, INVALID_KEY, MerchantNotFound
from merchants.key_use import note_use
from merchants.known_keys import find_key
from merchants.models import ApiKey, Merchant
from merchants.standing import refuse_status

_BEARER = re.compile(r"bearer +([0-9A-Za-z_]+)", re.IGNORECASE)
LOOKUPS = {"merchant_id": "id", "merchant_slug": "slug"}


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer sk_…`, or nothing in development mode. One statement at most."""

    def authenticate(self, request: Request) -> tuple[Caller, None]:
        header = request._request.META.get("HTTP_AUTHORIZATION")
        if header is not None:
            return _caller_of_key(request, header), None
        if settings.DEVELOPMENT_MODE:
            return _development_caller(request), None
        raise Unauthorized("Send the header Authorization: Bearer <API key>.")

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _caller_of_key(request: Request, header: str) -> Caller:
    at = request_now()
    key = _active_key(header, at)
    note_use(key, at)
    refuse_status(key.merchant, livemode=key.livemode)
    _refuse_contradiction(request, key.merchant)
    return Caller(key.merchant, key.livemode, key.actor, scopes=key.scopes)


def _active_key(header: str, at: datetime) -> ApiKey:
    """Find the key. Every refusal of a key reads the same, whatever is wrong with it."""
    if not _BEARER.fullmatch(header):
        raise Unauthorized(INVALID_HEADER)
    key = find_active(header, at)
    if key is None:
        raise Unauthorized(INVALID_KEY)
    return key


def find_active(header: str, at: datetime) -> ApiKey | None:
    """Return the active key in an `Authorization` header; None if there is none."""
    bearer = _BEARER.fullmatch(header)
    key = find_key(bearer[1], at) if bearer else None
    return key if key is not None and key.is_active(at) else None


def _refuse_contradiction(request: Request, merchant: Merchant) -> None:
    """Refuse a `merchant_id` or `merchant_slug` other than that of the key's owner."""
    for name, value in _named(request):
        if value == getattr(merchant, LOOKUPS[name]):
            continue
        if name == "merchant_id":
            raise ValidationFailed(merchant_id="must be the merchant of the API key, or left out")
        _refuse_no_text(name, value)
        raise MerchantNotFound()


def _development_caller(request: Request) -> Caller:
    named = list(_named(request))
    if not named:
        return Caller.for_development()
    found = Merchant.objects.all()
    for name, value in named:
        _refuse_no_text(name, value)
        found = found.filter(**{LOOKUPS[name]: value})
    merchant = found.first()
    if merchant is None:
        raise MerchantNotFound()
    refuse_status(merchant, livemode=False)
    return Caller(merchant, livemode=False, actor=DEVELOPMENT)


def _refuse_no_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise ValidationFailed(**{name: "must be a string"})


def _named(request: Request) -> Iterator[tuple[str, Any]]:
    """Yield each field that names a merchant, and its value: in the query string, then the body."""
    # `query_params` costs a parser even where there is nothing to parse, as in most requests.
    for name in LOOKUPS if request._request.META.get("QUERY_STRING") else ():
        for value in request.query_params.getlist(name):
            yield name, value
    has_body = request._request.META.get("CONTENT_LENGTH") and request._request.body
    if has_body and isinstance(request.data, dict):
        for name in LOOKUPS:
            if request.data.get(name) is not None:
                yield name, request.data[name]
