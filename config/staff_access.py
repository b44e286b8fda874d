"""The settings of staff access: sign-in, session lifetimes, and lockout."""

from typing import Any

from config.environment import env, given

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "backoffice.passwords.BoundedArgon2",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
_VALIDATORS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"{_VALIDATORS}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATORS}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_VALIDATORS}.CommonPasswordValidator"},
    {"NAME": "backoffice.passwords.OwnWordsValidator"},
]
# Five wrong passwords lock a user name for half an hour, but only for one browser at one address: a
# stranger who guesses must not lock out the owner. `user_agent` is our own cookie, not the header.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.5
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address", "user_agent"]]
AXES_CLIENT_IP_CALLABLE = "backoffice.known_browsers.network_address"
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "backoffice.lockout.locked_page"

STAFF_TIME_ZONE: str = env("STAFF_TIME_ZONE")
# Finance and Administrators can only sign in with a passkey.
REQUIRE_STAFF_PASSKEYS = given("REQUIRE_STAFF_PASSKEYS", default=not env("DEVELOPMENT_MODE"))
PASSWORD_RESET_TIMEOUT = 3 * 24 * 60 * 60  # how long an invitation's link is valid
# A session ends after a while without activity, and in any case after a working day.
STAFF_IDLE_SECONDS = 15 * 60
STAFF_SESSION_SECONDS = 8 * 60 * 60
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
