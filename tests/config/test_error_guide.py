"""Every error class says all there is to know of it, and the reference says it after the class."""

import json
import re

import pytest

from core.errors import ApiError
from core.reference import errors
from tests.config.error_classes import ERRORS

PARTS = ("status", "code", "message", "remedy")


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_every_error_says_what_it_is_and_what_to_do(error: type[ApiError]) -> None:
    # Pages show staff the message, its details and the remedy.
    for part in (*PARTS, "cause") if error.test_mode else PARTS:
        assert getattr(error, part, ""), f"{error.__name__} has no {part}"
    assert 400 <= error.status <= 599
    assert re.fullmatch("[A-Z_]+", error.code)
    for part in ("message", "cause", "remedy"):
        assert getattr(error, part).endswith(".") or not getattr(error, part)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_only_the_reference_has_places_for_figures(error: type[ApiError]) -> None:
    assert "[[" not in error.message
    if not error.test_mode:
        assert "[[" not in error.cause + error.remedy


def test_codes_of_staff_are_none_of_the_contract() -> None:
    codes = {error.code for error in errors()}

    assert "PAYMENT_EXPIRED" in codes
    assert not codes & {"FORBIDDEN", "SELF_APPROVAL", "TOO_OFTEN"}


def test_the_reference_is_made_of_the_classes(openapi: str) -> None:
    text = json.loads(openapi)["info"]["description"]

    for error in errors():
        section = text.split(f"\n## {error.code}\n")[1].split("\n## ")[0]
        assert f"`{error.status}` {error.message}" in section
        for part in (error.cause, error.remedy, error.test_mode):
            assert part in section or "[[" in part
