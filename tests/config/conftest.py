"""What is logged, as in production."""

import json
import logging
from collections.abc import Callable, Iterator
from io import StringIO
from logging.config import dictConfig
from typing import Any

import pytest

from config.logging import logging_config


@pytest.fixture
def lines() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Log as in production; return a function that reads what was logged so far."""
    root, written = logging.getLogger(), StringIO()
    handlers, level = root.handlers[:], root.level
    config = logging_config(level="INFO", form="json")
    config["handlers"]["stderr"]["stream"] = written
    dictConfig(config)
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    root.handlers[:] = handlers
    root.setLevel(level)  # and not the attribute: each logger remembers what it may log
