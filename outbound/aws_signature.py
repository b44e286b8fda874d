"""AWS Signature Version 4, as S3-compatible buckets expect it. Pure.

The whole body is signed, and so is every header that is sent.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from urllib.parse import parse_qsl, quote, unquote, urlsplit

ALGORITHM = "AWS4-HMAC-SHA256"


@dataclass(frozen=True)
class AwsKey:
    """The key that signs, and the region it signs for."""

    key_id: str
    secret: str
    region: str


def signed_headers(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    body: bytes,
    key: AwsKey,
    now: datetime,
) -> dict[str, str]:
    """Return the headers of a request to S3, including those that sign it."""
    at = now.strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest()
    sent = {**headers, "x-amz-date": at, "x-amz-content-sha256": digest}
    named = {"host": urlsplit(url).netloc, **{name.lower(): sent[name] for name in sent}}
    names = ";".join(sorted(named))
    scope = f"{at[:8]}/{key.region}/s3/aws4_request"
    request = "\n".join((method, *_address(url), *_lines(named), "", names, digest))
    text = "\n".join((ALGORITHM, at, scope, hashlib.sha256(request.encode()).hexdigest()))
    signing_key = reduce(_mac, scope.split("/"), f"AWS4{key.secret}".encode())
    signature = _mac(signing_key, text).hex()
    credential = f"{ALGORITHM} Credential={key.key_id}/{scope}"
    sent["Authorization"] = f"{credential},SignedHeaders={names},Signature={signature}"
    return sent


def _address(url: str) -> tuple[str, str]:
    """Return path and query in the form that is signed."""
    parts = urlsplit(url)
    pairs = sorted(parse_qsl(parts.query, keep_blank_values=True))
    query = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)
    return quote(unquote(parts.path), safe="/") or "/", query


def _lines(headers: Mapping[str, str]) -> list[str]:
    return [f"{name}:{headers[name].strip()}" for name in sorted(headers)]


def _mac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
