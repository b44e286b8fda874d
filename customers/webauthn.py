"""The two ceremonies of WebAuthn, without a database: options for the browser, and its responses.

`site` is the address whose pages ask: the checkout for customers, the back office for staff. The
responses are untrusted, and the library that parses them was not written for malicious input: any
outcome but success is VerificationFailed.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import (
    base64url_to_bytes,
    bytes_to_base64url,
    options_to_json_dict,
    parse_authentication_credential_json,
    parse_client_data_json,
    parse_registration_credential_json,
)
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    CredentialDeviceType,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from core.json import parse_json
from customers.errors import VerificationFailed

logger = logging.getLogger(__name__)

Options = dict[str, Any]
TIMEOUT_MILLISECONDS = 300_000
MAX_RESPONSE_CHARACTERS = 16_384
MAX_CREDENTIAL_BYTES = 1_023  # by the standard
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class KnownCredential:
    """A registered credential, as the browser's options list it."""

    credential_id: str
    transports: Sequence[str]


@dataclass(frozen=True)
class NewCredential:
    """A newly created credential, as the columns that store it. `credential_id` is base64url."""

    credential_id: str
    public_key: bytes
    sign_count: int
    transports: list[str]
    aaguid: str
    is_synced: bool


@dataclass(frozen=True)
class CredentialResponse:
    """A response that was parsed, but not verified: its challenge is only a claim."""

    text: dict[str, Any]
    challenge: bytes
    credential_id: str
    user_handle: bytes | None = None


def relying_party(site: str) -> tuple[str, str]:
    """Return the rpId of a site of ours, and the only origin that may use it."""
    url = urlsplit(site)
    host = url.hostname or ""
    is_default = url.port in (None, DEFAULT_PORTS.get(url.scheme))
    return host, f"{url.scheme}://{host}" if is_default else f"{url.scheme}://{host}:{url.port}"


def registration_options(
    *,
    site: str,
    challenge: bytes,
    user_handle: bytes,
    user_name: str,
    known: Sequence[KnownCredential],
) -> Options:
    """Return the options for `navigator.credentials.create()`, with bytes as base64url."""
    options = generate_registration_options(
        rp_id=relying_party(site)[0],
        rp_name=settings.SERVICE_NAME,
        user_id=user_handle,
        user_name=user_name,
        challenge=challenge,
        timeout=TIMEOUT_MILLISECONDS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=_descriptors(known),
    )
    return options_to_json_dict(options)


def authentication_options(
    *, site: str, challenge: bytes, known: Sequence[KnownCredential]
) -> Options:
    """Return the options for `navigator.credentials.get()`, with bytes as base64url."""
    options = generate_authentication_options(
        rp_id=relying_party(site)[0],
        challenge=challenge,
        timeout=TIMEOUT_MILLISECONDS,
        allow_credentials=_descriptors(known),
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return options_to_json_dict(options)


def read_registration(text: str) -> CredentialResponse:
    """Read the JSON of a new credential. Raises VerificationFailed."""
    with _failing_closed():
        parsed = _parse(text)
        credential = parse_registration_credential_json(parsed)
        challenge = _challenge(credential.response.client_data_json)
        return CredentialResponse(parsed, challenge, bytes_to_base64url(credential.raw_id))


def read_assertion(text: str) -> CredentialResponse:
    """Read the JSON of an assertion. Raises VerificationFailed."""
    with _failing_closed():
        parsed = _parse(text)
        credential = parse_authentication_credential_json(parsed)
        challenge = _challenge(credential.response.client_data_json)
        credential_id = bytes_to_base64url(credential.raw_id)
        return CredentialResponse(parsed, challenge, credential_id, credential.response.user_handle)


def verify_registration(response: CredentialResponse, *, site: str) -> NewCredential:
    """Verify a new credential, user verification included. Raises VerificationFailed."""
    rp_id, origin = relying_party(site)
    with _failing_closed():
        verified = verify_registration_response(
            credential=response.text,
            expected_challenge=response.challenge,
            expected_rp_id=rp_id,
            expected_origin=origin,
            require_user_verification=True,
        )
        if len(verified.credential_id) > MAX_CREDENTIAL_BYTES:
            raise VerificationFailed
        credential = parse_registration_credential_json(response.text)
        return NewCredential(
            credential_id=bytes_to_base64url(verified.credential_id),
            public_key=verified.credential_public_key,
            sign_count=verified.sign_count,
            transports=[transport.value for transport in credential.response.transports or ()],
            aaguid=verified.aaguid,
            is_synced=verified.credential_device_type == CredentialDeviceType.MULTI_DEVICE,
        )


def verify_assertion(response: CredentialResponse, public_key: bytes, *, site: str) -> int:
    """Verify an assertion, user verification included; return its sign count, not compared yet.

    Raises VerificationFailed.
    """
    rp_id, origin = relying_party(site)
    with _failing_closed():
        verified = verify_authentication_response(
            credential=response.text,
            expected_challenge=response.challenge,
            expected_rp_id=rp_id,
            expected_origin=origin,
            credential_public_key=public_key,
            credential_current_sign_count=0,
            require_user_verification=True,
        )
        return verified.new_sign_count


def sign_count_regressed(stored: int, new: int) -> bool:
    """Return whether a count has not risen: two devices hold the key. A constant 0 is no count."""
    return new <= stored and not new == stored == 0


@contextmanager
def _failing_closed() -> Iterator[None]:
    try:
        yield
    except VerificationFailed:
        raise
    except Exception as error:
        logger.info("a WebAuthn response was refused: %s", type(error).__name__)
        raise VerificationFailed from error


def _parse(text: str) -> dict[str, Any]:
    if len(text) > MAX_RESPONSE_CHARACTERS:
        raise VerificationFailed
    parsed = parse_json(text.encode())
    if not isinstance(parsed, dict):
        raise VerificationFailed
    return parsed


def _challenge(client_data_json: bytes) -> bytes:
    client_data = parse_client_data_json(client_data_json)
    if client_data.cross_origin:
        raise VerificationFailed  # another site's page had ours in a frame
    return client_data.challenge


def _descriptors(known: Sequence[KnownCredential]) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(
            id=base64url_to_bytes(credential.credential_id),
            transports=[AuthenticatorTransport(transport) for transport in credential.transports],
        )
        for credential in known
    ]
