"""Sessions of staff, stored in the database under keys that bear our signature."""

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session

from core.ids import random_base62
from core.signed_tokens import sign_token

RANDOM_CHARACTERS = 24  # 142 bits; with the signature, the 40 characters that the column holds


class SessionStore(db.SessionStore):
    """Django's own, except for the key of a new session."""

    def _get_new_session_key(self) -> str:
        return sign_token(random_base62(RANDOM_CHARACTERS))


def end_sessions(user_id: int) -> None:
    """End every session of an account. Only its data tells whose a session is: each is read."""
    store = SessionStore()
    stored = Session.objects.values_list("pk", "session_data")
    ended = [key for key, data in stored if store.decode(data).get(SESSION_KEY) == str(user_id)]
    Session.objects.filter(pk__in=ended).delete()
