"""One request to an untrusted endpoint: it may be slow, endless, redirecting, or a trap.

The name is looked up once, every address it has must be allowed, and the connection goes to one of
those, while TLS still verifies the name. No proxies, redirects, cookies or connection reuse. The
connection is closed at the deadline, however slowly data arrives.
"""

import http.client
import io
import ssl
import time
from functools import lru_cache
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3.exceptions import HTTPError

from core.text import showable
from outbound.connections import ConnectionFailed, Connector
from outbound.deadline import Deadline
from outbound.policy import Policy, fault_of
from outbound.resolver import Resolve, system_addresses
from outbound.results import EXCERPT_CHARACTERS, HttpResult

# Read from the connection, headers included; of the body, half of that is more than we ever use.
MAX_BYTES = 64 * 1024
MAX_BODY_BYTES = 32 * 1024
CHUNK_BYTES = 8 * 1024
EXCERPT_BYTES = 4 * EXCERPT_CHARACTERS
CONNECT_SECONDS = 5.0
# X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, and …_TO_VERIFY_LEAF_SIGNATURE.
ISSUER_UNKNOWN = frozenset({20, 21})
MISSING_LINK = "the server may not send its intermediate certificates"
PRELIMINARY_STATUSES = frozenset({102, 103})


@lru_cache
def tls_context() -> ssl.SSLContext:
    """Return the TLS settings of every request: host names and certificates are verified."""
    return ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)


def post(
    url: str,
    *,
    body: bytes,
    headers: dict[str, str],
    policy: Policy,
    seconds: float,
    resolve: Resolve = system_addresses,
    tls: ssl.SSLContext | None = None,
) -> HttpResult:
    """POST a body and read the response, within `seconds` in all.

    Never raises: whatever goes wrong is `error` of the result. `resolve` and `tls` are for tests.
    """
    request = requests.Request("POST", url, data=body, headers=headers)
    return _exchange(request, policy, seconds, resolve, tls, keep=EXCERPT_BYTES)[0]


def put(
    url: str,
    *,
    body: bytes,
    headers: dict[str, str],
    policy: Policy,
    seconds: float,
) -> HttpResult:
    """PUT a body and read the response, as `post` does."""
    request = requests.Request("PUT", url, data=body, headers=headers)
    return _exchange(request, policy, seconds, system_addresses, None, keep=EXCERPT_BYTES)[0]


def get(
    url: str,
    *,
    policy: Policy,
    seconds: float,
    headers: dict[str, str] | None = None,
    resolve: Resolve = system_addresses,
    tls: ssl.SSLContext | None = None,
) -> tuple[HttpResult, bytes]:
    """GET an address as `post` does; return the result, and up to MAX_BODY_BYTES of the body."""
    request = requests.Request("GET", url, headers=headers)
    return _exchange(request, policy, seconds, resolve, tls, keep=MAX_BODY_BYTES)


def _exchange(
    request: requests.Request,
    policy: Policy,
    seconds: float,
    resolve: Resolve,
    tls: ssl.SSLContext | None,
    *,
    keep: int,
) -> tuple[HttpResult, bytes]:
    started = time.monotonic()
    fault = fault_of(request.url, policy)
    if fault is not None:
        return HttpResult(ms=0, error=f"The address is not allowed: it {fault}."), b""
    with Deadline(seconds) as deadline:
        connector = Connector(policy, deadline, min(CONNECT_SECONDS, seconds), resolve)
        exchange = _Exchange(connector, tls or tls_context(), keep)
        try:
            exchange.run(request, seconds)
        except (
            ConnectionFailed,
            requests.RequestException,
            HTTPError,
            OSError,
            ValueError,
        ) as error:
            exchange.error = _reason(error, seconds)
        if deadline.expired:
            exchange.error = _too_late(seconds)
    return exchange.result(ms=int((time.monotonic() - started) * 1_000)), exchange.body


class _Exchange:
    """One request, and what has been read of its response so far."""

    def __init__(self, connector: Connector, tls: ssl.SSLContext, keep: int) -> None:
        self._adapter = _Adapter(connector, tls)
        self._response: requests.Response | None = None
        self._keep = keep
        self.body = b""
        self.error = ""

    def run(self, request: requests.Request, seconds: float) -> None:
        prepared = request.prepare()
        try:
            self._response = self._adapter.send(prepared, timeout=seconds)
            self._read(self._response)
        finally:
            if self._response is not None:
                self._response.close()

    def _read(self, response: requests.Response) -> None:
        """Read to the end or the limit. A response that breaks off before that raises."""
        size = 0
        while chunk := response.raw.read1(CHUNK_BYTES, decode_content=False):
            size += len(chunk)
            self.body = (self.body + chunk)[: self._keep]
            if size >= MAX_BODY_BYTES:
                return

    def result(self, *, ms: int) -> HttpResult:
        if self._response is None:
            return HttpResult(ms=ms, error=self.error or "There was no answer.")
        status = self._response.status_code
        return HttpResult(
            ms=ms,
            status=status,
            excerpt=_showable(self.body[:EXCERPT_BYTES]),
            error=self.error or _fault_of_status(status),
            retry_after=self._response.headers.get("Retry-After"),
        )


def _showable(body: bytes) -> str:
    text = body.decode("utf-8", errors="replace")
    return showable(text)[:EXCERPT_CHARACTERS]


def _fault_of_status(status: int) -> str:
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"Answered {status}: redirects are not followed."
    return f"Answered {status}."


def _too_late(seconds: float) -> str:
    return f"No complete answer within {seconds:g} seconds."


def _reason(error: Exception, seconds: float) -> str:
    """Describe the failure without internal details."""
    if isinstance(error, ConnectionFailed):
        return str(error)
    found = _cause(error, ssl.SSLError)
    if isinstance(found, ssl.SSLCertVerificationError):
        return _fault_of_certificate(found)
    if found is not None:
        return "TLS: no secure connection could be made."
    if _cause(error, TimeoutError) is not None:
        return _too_late(seconds)
    return "The connection broke off before the answer was complete."


def _fault_of_certificate(error: ssl.SSLCertVerificationError) -> str:
    """Describe it in OpenSSL's words, with the usual reason where they do not tell it."""
    words = error.verify_message.rstrip(".")
    if error.verify_code in ISSUER_UNKNOWN:
        words += f" ({MISSING_LINK})"
    return f"TLS: {words}."[:200]


def _cause(error: BaseException, kind: type[BaseException]) -> BaseException | None:
    """Find an exception of this kind among those that led to the error."""
    seen: list[object] = [error]
    for item in seen:
        if isinstance(item, kind):
            return item
        if isinstance(item, BaseException) and len(seen) < 32:
            seen += [item.__cause__, item.__context__, getattr(item, "reason", None), *item.args]
    return None


class _Adapter(HTTPAdapter):
    """`requests` over connections that `connector` makes, read through a limit."""

    def __init__(self, connector: Connector, tls: ssl.SSLContext) -> None:
        super().__init__()
        self._tls = tls
        self.poolmanager.pool_classes_by_scheme = connector.pools(_LimitedResponse)

    def build_connection_pool_key_attributes(
        self, request: Any, verify: Any, cert: Any = None
    ) -> tuple[Any, Any]:
        host, _ = super().build_connection_pool_key_attributes(request, verify, cert)
        return host, {"ssl_context": self._tls}

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:
        """Leave the context as it is: reloading the certificates costs 20 ms a request."""


class _Limited(io.RawIOBase):
    """The bytes of a response, head and body, cut off at the limit."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._left = MAX_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._left == 0:
            raise ConnectionAbortedError
        count: int = self._raw.readinto(memoryview(buffer)[: self._left])
        self._left -= count
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _LimitedResponse(http.client.HTTPResponse):
    def __init__(self, sock: Any, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_Limited(self.fp.detach()))

    def _read_status(self) -> tuple[str, int, str]:
        """Skip 102 and 103, as the library skips 100: the final response is yet to come."""
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]  # not in the stubs
            if status not in PRELIMINARY_STATUSES:
                return version, status, reason
            http.client.parse_headers(self.fp)
