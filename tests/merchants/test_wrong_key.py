"""Every way a key can be wrong: 401, and always the same one for a header of the right form."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import utc_now
from merchants import keys
from merchants.models import ApiKey
from merchants.services import issue_key, revoke_key
from tests.client import ApiClient

pytestmark = pytest.mark.urls("tests.merchants.echo")

BAD_KEY = {
    "error": "A valid API key is needed.",
    "code": "UNAUTHORIZED",
    "details": "The API key is not valid.",
}


BAD_HEADER = BAD_KEY | {"details": "Authorization: must be Bearer, a space and the API key."}


def issue(merchant):
    return issue_key(merchant=merchant, livemode=False, name="Under test", now=utc_now())


def assert_refused(response, body):
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response.json() == body


def _cut(secret):
    return f"Bearer {secret[: len(secret) // 2]}"


def _mistyped(secret):
    other = "A" if secret[20] != "A" else "B"
    return f"Bearer {secret[:20]}{other}{secret[21:]}"


WRONG_HEADERS = {
    "no scheme": lambda secret: secret,
    "another scheme": lambda secret: f"Basic {secret}",
    "empty": lambda secret: "",
    "scheme alone": lambda secret: "Bearer",
    "twice the scheme": lambda secret: f"Bearer Bearer {secret}",
    "twice the key": lambda secret: f"Bearer {secret} {secret}",
    "two headers": lambda secret: f"Bearer {secret},Bearer {secret}",
    "a trailing space": lambda secret: f"Bearer {secret} ",
    "quoted": lambda secret: f'Bearer "{secret}"',
    "not ASCII": lambda secret: f"Bearer {secret[:-1]}é",
}
WRONG_KEYS = {
    "half a key": _cut,
    "one character wrong": _mistyped,
    "of the other mode": lambda secret: f"Bearer {secret.replace('test', 'live')}",
    "in capitals": lambda secret: f"Bearer {secret.upper()}",
    "one character more": lambda secret: f"Bearer {secret}0",
    "the hash": lambda secret: f"Bearer {keys.digest(secret)}",
}


@pytest.mark.parametrize("development_mode", [False, True])
@pytest.mark.parametrize("header", WRONG_HEADERS.values(), ids=WRONG_HEADERS.keys())
def test_it_says_how_the_header_must_look(merchant, settings, header, development_mode):
    settings.DEVELOPMENT_MODE = development_mode
    secret = issue(merchant).secret

    with CaptureQueriesContext(connection) as queries:
        response = ApiClient().get("/v1/echo", {}, authorization=header(secret))

    assert_refused(response, BAD_HEADER)
    assert len(queries) == 0


@pytest.mark.parametrize("development_mode", [False, True])
@pytest.mark.parametrize("header", WRONG_KEYS.values(), ids=WRONG_KEYS.keys())
def test_it_refuses_a_malformed_key_without_a_query(merchant, settings, header, development_mode):
    settings.DEVELOPMENT_MODE = development_mode
    secret = issue(merchant).secret

    with CaptureQueriesContext(connection) as queries:
        response = ApiClient().get("/v1/echo", {}, authorization=header(secret))

    assert_refused(response, BAD_KEY)
    assert len(queries) == 0


@pytest.mark.parametrize("header", ["bearer {}", "BEARER {}", "Bearer   {}"])
def test_it_reads_the_scheme_as_http_does(merchant, header):
    secret = issue(merchant).secret

    response = ApiClient().get("/v1/echo", {}, authorization=header.format(secret))

    assert response.status_code == 200


def _unknown(issued):
    issued.key.delete()


def _revoked(issued):
    revoke_key(key_id=issued.key.id, now=utc_now())


def _expired(issued):
    ApiKey.objects.filter(pk=issued.key.id).update(expires_at=utc_now())


@pytest.mark.parametrize("end", [_unknown, _revoked, _expired])
def test_it_refuses_a_key_that_has_ended_like_one_that_never_was(merchant, end):
    issued = issue(merchant)
    end(issued)

    with CaptureQueriesContext(connection) as queries:
        response = ApiClient(issued.secret).get("/v1/echo")

    assert_refused(response, BAD_KEY)
    assert len(queries) == 1


def test_it_takes_a_key_until_the_moment_it_expires(merchant):
    issued = issue(merchant)
    ApiKey.objects.update(expires_at=utc_now() + timedelta(minutes=1))

    assert ApiClient(issued.secret).get("/v1/echo").status_code == 200


def test_it_asks_the_database_once(merchant):
    client = ApiClient(issue(merchant).secret)

    with CaptureQueriesContext(connection) as queries:
        response = client.get("/v1/echo")

    assert response.status_code == 200
    assert len(queries) == 1
