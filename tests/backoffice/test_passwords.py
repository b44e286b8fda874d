"""No password of staff is made of the service's own words."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError


@pytest.mark.parametrize(
    "password", ["Payments-2026!", "adminADMIN1234", "password.wallet1", "Island-2026."]
)
def test_words_of_the_service_are_refused(settings, password: str) -> None:
    settings.SERVICE_NAME = "Island Pay"

    with pytest.raises(ValidationError):
        validate_password(password)


@pytest.mark.parametrize(
    "password", ["orchid tram ladder 42", "a wallet under the mango tree", "Kj7#mQ2vR9pL"]
)
def test_others_are_accepted(settings, password: str) -> None:
    settings.SERVICE_NAME = "Island Pay"

    validate_password(password)
