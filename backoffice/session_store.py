"""Sessions of staff, in the database, whose keys bear our signature."""

from django.contrib.sessions.backends import db

from core.ids import random_base62
from core.signed_tokens import signed

RANDOM_CHARACTERS = 24  # 142 bits; with the signature, the 40 characters that the column holds


class SessionStore(db.SessionStore):
    """Django's own, but for the key of a new session."""

    def _get_new_session_key(self) -> str:
        return signed(random_base62(RANDOM_CHARACTERS))
