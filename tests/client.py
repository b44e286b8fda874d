"""A merchant's server, as the tests see it: it calls with a key and speaks JSON."""

import json
from typing import TYPE_CHECKING, Any

from django.test import Client

from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import issue_key

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response


class ApiClient:
    """Sends JSON, with a key where there is one. Keyword `idempotency_key` is `Idempotency-Key`."""

    def __init__(self, secret: str | None = None) -> None:
        self.secret = secret
        self.client = Client()

    def get(self, path: str, data: dict[str, Any] | None = None, **headers: str) -> "Response":
        return self.client.get(path, data, headers=self._headers(headers))

    def post(self, path: str, data: Any = None, **headers: str) -> "Response":
        return self._send("POST", path, data, headers)

    def patch(self, path: str, data: Any = None, **headers: str) -> "Response":
        return self._send("PATCH", path, data, headers)

    def delete(self, path: str, data: Any = None, **headers: str) -> "Response":
        return self._send("DELETE", path, data, headers)

    def _send(self, method: str, path: str, data: Any, headers: dict[str, str]) -> "Response":
        body = data if isinstance(data, bytes) else b"" if data is None else json.dumps(data)
        return self.client.generic(
            method, path, body, content_type="application/json", headers=self._headers(headers)
        )

    def _headers(self, given: dict[str, str]) -> dict[str, str]:
        named = {name.replace("_", "-"): value for name, value in given.items()}
        return named if self.secret is None else {"Authorization": f"Bearer {self.secret}"} | named


class Api:
    """`api(merchant)` calls with its test key, `api(merchant, live=True)` with its live key."""

    def __init__(self) -> None:
        self._secrets: dict[tuple[str, bool], str] = {}

    def __call__(self, merchant: Merchant | None = None, *, live: bool = False) -> ApiClient:
        if merchant is None:
            return ApiClient()
        place = (merchant.id, live)
        if place not in self._secrets:
            issued = issue_key(merchant=merchant, livemode=live, name="Tests", now=utc_now())
            self._secrets[place] = issued.secret
        return ApiClient(self._secrets[place])
