"""A certificate authority of the tests' own, and what it signs."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)
USES = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
    "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
)  # fmt: skip


class Authority:
    """Signs certificates; `trusting()` is the context of a client that trusts it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tests")])
        self._certificate = self._sign(self._name, self._key, days=(-1, 1), is_authority=True)
        self._file = directory / "authority.pem"
        self._file.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self._file))

    def server(self, host: str, *, days: tuple[int, int] = (-1, 1)) -> ssl.SSLContext:
        """Return the context of a server with a certificate for this host and time."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        certificate = self._sign(name, key, days=days, host=host)
        file = self._directory / f"{host}{days[1]}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _sign(
        self,
        name: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        *,
        days: tuple[int, int],
        host: str = "",
        is_authority: bool = False,
    ) -> x509.Certificate:
        today = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(today + days[0] * DAY)
            .not_valid_after(today + days[1] * DAY)
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
            # Python 3.13 and later believe no certificate without it.
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), False
            )
        )
        if is_authority:
            signs = dict.fromkeys(USES, False) | {"key_cert_sign": True, "crl_sign": True}
            builder = builder.add_extension(x509.KeyUsage(**signs), critical=True)
        if host:
            names = x509.SubjectAlternativeName([x509.DNSName(host)])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(self._key, hashes.SHA256())
