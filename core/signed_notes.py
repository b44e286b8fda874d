"""Signed notes and checkpoints, in the formats of C2SP: what a witness of the log keeps.

A note is a text, an empty line, and one line per signature. A checkpoint is the note of a log's
head: its name, its size, its root. A key has a name, and is written with a hash that identifies it.
"""

import base64
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ED25519 = b"\x01"
KEY_HASH_BYTES = 4
_PRIVATE = "PRIVATE+KEY"
_DASH = "\u2014"


@dataclass(frozen=True)
class NoteVerifier:
    """The public half of a key: `name+hash+key`."""

    name: str
    public: bytes

    @classmethod
    def parse(cls, text: str) -> "NoteVerifier":
        """Read a public key. Raises ValueError."""
        name, key_hash, encoded = [*text.strip().split("+", 2), "", ""][:3]
        data = base64.b64decode(encoded, validate=True)
        verifier = cls(name, data[1:])
        if data[:1] != ED25519 or len(verifier.public) != 32:
            raise ValueError("is no Ed25519 key of a note")
        if verifier.key_hash.hex() != key_hash:
            raise ValueError("has the hash of another key")
        return verifier

    @property
    def key_hash(self) -> bytes:
        text = self.name.encode() + b"\n" + ED25519 + self.public
        return hashlib.sha256(text).digest()[:KEY_HASH_BYTES]

    def __str__(self) -> str:
        encoded = base64.b64encode(ED25519 + self.public).decode()
        return f"{self.name}+{self.key_hash.hex()}+{encoded}"

    def has_signed(self, note: str) -> bool:
        """Return whether a line of the note is this key's signature."""
        text, _, lines = note.rpartition("\n\n")
        for line in lines.splitlines():
            dash, _, rest = line.partition(" ")
            name, _, encoded = rest.partition(" ")
            if dash == _DASH and name == self.name and self._matches(encoded, text + "\n"):
                return True
        return False

    def _matches(self, encoded: str, text: str) -> bool:
        try:
            found = base64.b64decode(encoded, validate=True)
            if found[:KEY_HASH_BYTES] != self.key_hash:
                return False
            key = Ed25519PublicKey.from_public_bytes(self.public)
            key.verify(found[KEY_HASH_BYTES:], text.encode())
        except (ValueError, InvalidSignature):  # not base64, or not ASCII
            return False
        return True


@dataclass(frozen=True)
class NoteSigner:
    """A key that signs: `PRIVATE+KEY+name+hash+seed`."""

    name: str
    seed: bytes

    @classmethod
    def generate(cls, name: str) -> "NoteSigner":
        return cls(name, Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def parse(cls, text: str) -> "NoteSigner":
        """Read a key. Raises ValueError."""
        kind, _, rest = text.strip().partition("+KEY+")
        name, key_hash, encoded = [*rest.split("+", 2), "", ""][:3]
        data = base64.b64decode(encoded, validate=True)
        signer = cls(name, data[1:])
        if kind != "PRIVATE" or data[:1] != ED25519 or len(signer.seed) != 32 or not name:
            raise ValueError("is no Ed25519 key of a note")
        if signer.verifier.key_hash.hex() != key_hash:
            raise ValueError("has the hash of another key")
        return signer

    @property
    def verifier(self) -> NoteVerifier:
        return NoteVerifier(self.name, self._key.public_key().public_bytes_raw())

    @property
    def _key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)

    def __str__(self) -> str:
        encoded = base64.b64encode(ED25519 + self.seed).decode()
        return f"{_PRIVATE}+{self.name}+{self.verifier.key_hash.hex()}+{encoded}"

    def sign(self, text: str) -> str:
        """Return the note of a text that ends with a line break."""
        signature = self.verifier.key_hash + self._key.sign(text.encode())
        return f"{text}\n{_DASH} {self.name} {base64.b64encode(signature).decode()}\n"


@dataclass(frozen=True)
class LogHead:
    """What a checkpoint says: which log, how many leaves, and the root over them."""

    origin: str
    size: int
    root: bytes

    def __str__(self) -> str:
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    @classmethod
    def parse(cls, note: str) -> "LogHead":
        """Parse the head from a checkpoint without checking signatures. Raises ValueError."""
        origin, size, root, *_ = [*note.split("\n"), "", "", ""]
        if not size.isdecimal() or str(int(size)) != size:
            raise ValueError("is no checkpoint")
        return cls(origin, int(size), base64.b64decode(root, validate=True))
