"""Every class of error that there is."""

from collections.abc import Iterator

import config.urls  # noqa: F401  # loads every room, and so every error
from core.errors import ApiError


def below(error: type[ApiError]) -> Iterator[type[ApiError]]:
    for kind in error.__subclasses__():
        if kind.__module__.split(".")[0] != "tests":
            yield kind
            yield from below(kind)


ERRORS = list(below(ApiError))
