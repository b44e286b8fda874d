"""How a log line is written, whatever it says."""

import json

import pytest
import structlog
from django.test import Client


@pytest.mark.parametrize("said", ["Caf\u00e9\u0085", "\ud83d", 2**70, {1: "one"}, "plain"])
def test_whatever_is_said_is_one_line(lines, said: object) -> None:
    structlog.get_logger("anyone").warning("said", said=said)

    (line,) = lines()
    assert line["said"] == json.loads(json.dumps(said))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/v1/a-b_c.1", "/v1/a b", "/v1/\u00e9", "/v1/a?b=c%20d", "/v1/a?"]
)
def test_an_address_is_written_as_in_a_url(client: Client, lines, path: str) -> None:
    request = client.get(path).wsgi_request

    (line,) = lines()
    assert line["request"] == f"GET {request.get_full_path()}"
