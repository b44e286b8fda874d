"""Generate the secrets of a new installation."""

import secrets
from urllib.parse import urlsplit

from cryptography.fernet import Fernet

from core.signed_notes import NoteSigner


def fresh_secrets(base_url: str) -> dict[str, str]:
    """Return a fresh value for each variable that is a secret."""
    origin = f"{urlsplit(base_url).hostname}/ledger"
    return {
        "SECRET_KEY": secrets.token_urlsafe(48),
        "PIN_PEPPER": secrets.token_urlsafe(32),
        "ENCRYPTION_KEY": Fernet.generate_key().decode(),
        "CHECKPOINT_KEY": str(NoteSigner.generate(origin)),
        "LEDGER_KEY": Fernet.generate_key().decode(),
    }
