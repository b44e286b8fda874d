"""No password of staff is made of the service's own words."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError


@pytest.mark.parametrize(
    "password",
    [
        *("Payments-2026!", "adminADMIN1234", "password.wallet1", "Island-2026."),
        *("adminKj7#mQ2", "Kj7#mQ2vR9p"),  # seven are left; eleven in all
    ],
)
def test_words_of_the_service_are_refused(settings, password: str) -> None:
    settings.SERVICE_NAME = "Island Pay"

    with pytest.raises(ValidationError):
        validate_password(password)


@pytest.mark.parametrize(
    "password",
    [
        *("orchid tram ladder 42", "a wallet under the mango tree", "Kj7#mQ2vR9pL"),
        "adminKj7#mQ2v",  # eight are left
        "Kj7#mQ2vR9p1",
    ],
)
def test_others_are_accepted(settings, password: str) -> None:
    settings.SERVICE_NAME = "Island Pay"

    validate_password(password)
