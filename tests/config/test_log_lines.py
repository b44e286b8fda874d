"""How a log line is written, whatever it says."""

import json

import pytest
import structlog


@pytest.mark.parametrize("said", ["Caf\u00e9\u0085", "\ud83d", 2**70, {1: "one"}, "plain"])
def test_whatever_is_said_is_one_line(lines, said: object) -> None:
    structlog.get_logger("anyone").warning("said", said=said)

    (line,) = lines()
    assert line["said"] == json.loads(json.dumps(said))
