"""An authenticator in software: a key, a counter, and a browser that tells it what page asks.

Every attribute may be changed between two ceremonies, to lie as a thief would.
"""

import hashlib
import json
import secrets
import struct
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from webauthn.helpers import bytes_to_base64url, encode_cbor

USER_PRESENT, USER_VERIFIED, BACKUP_ELIGIBLE, ATTESTED = 0x01, 0x04, 0x08, 0x40


@dataclass
class VirtualAuthenticator:
    """Holds one credential for one site. With `counter` None it counts nothing, as phones do."""

    rp_id: str = "testserver"
    origin: str = "http://testserver"
    cross_origin: bool = False
    flags: int = USER_PRESENT | USER_VERIFIED | BACKUP_ELIGIBLE
    counter: int | None = None
    user_handle: bytes | None = None
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def create(self, options: dict[str, Any]) -> str:
        """Answer `navigator.credentials.create()`."""
        attested = (
            bytes(16)
            + struct.pack(">H", len(self.credential_id))
            + self.credential_id
            + self._cose_key()
        )
        attestation = {
            "fmt": "none",
            "attStmt": {},
            "authData": self._authenticator_data(self.flags | ATTESTED) + attested,
        }
        response = {
            "clientDataJSON": self._client_data("webauthn.create", options["challenge"]),
            "attestationObject": encode_cbor(attestation),
        }
        return self._credential(response, {"transports": ["internal", "hybrid", "telepathy"]})

    def get(self, options: dict[str, Any]) -> str:
        """Answer `navigator.credentials.get()`."""
        if self.counter is not None:
            self.counter += 1
        data = self._authenticator_data(self.flags)
        client_data = self._client_data("webauthn.get", options["challenge"])
        signed = data + hashlib.sha256(client_data).digest()
        response = {
            "clientDataJSON": client_data,
            "authenticatorData": data,
            "signature": self.key.sign(signed, ec.ECDSA(hashes.SHA256())),
        }
        if self.user_handle is not None:
            response["userHandle"] = self.user_handle
        return self._credential(response, {})

    def for_devtools(self) -> dict[str, Any]:
        """Return its credential as a browser's authenticator is given one."""
        key = self.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        assert self.user_handle is not None
        held = {
            "credentialId": self.credential_id,
            "privateKey": key,
            "userHandle": self.user_handle,
        }
        encoded = {name: b64encode(value).decode() for name, value in held.items()}
        rest = {"rpId": self.rp_id, "isResidentCredential": True, "signCount": self.counter or 0}
        return encoded | rest

    def _credential(self, response: dict[str, bytes], more: dict[str, Any]) -> str:
        encoded = {name: bytes_to_base64url(value) for name, value in response.items()}
        identifier = bytes_to_base64url(self.credential_id)
        return json.dumps(
            {
                "id": identifier,
                "rawId": identifier,
                "type": "public-key",
                "response": encoded | more,
                "clientExtensionResults": {},
            }
        )

    def _client_data(self, kind: str, challenge: str) -> bytes:
        return json.dumps(
            {
                "type": kind,
                "challenge": challenge,
                "origin": self.origin,
                "crossOrigin": self.cross_origin,
            }
        ).encode()

    def _authenticator_data(self, flags: int) -> bytes:
        rp_id_hash = hashlib.sha256(self.rp_id.encode()).digest()
        return rp_id_hash + struct.pack(">BI", flags, self.counter or 0)

    def _cose_key(self) -> bytes:
        point = self.key.public_key().public_numbers()
        x, y = (number.to_bytes(32, "big") for number in (point.x, point.y))
        return encode_cbor({1: 2, 3: -7, -1: 1, -2: x, -3: y})
