"""The address that an authenticator app reads from its QR code."""

from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from backoffice.roles import Role
from backoffice.services.two_factor import begin_enrolment
from tests.backoffice.conftest import make_user


@pytest.mark.django_db
@pytest.mark.parametrize("service", ["Payments", "Tide & Table #1", "Café 100%", "a/b?c=d:e"])
def test_the_name_of_the_service_arrives_whole(settings, service):
    settings.SERVICE_NAME = service
    enrolment = begin_enrolment(make_user(Role.SUPPORT, "grace"))
    read = urlsplit(enrolment.address)

    assert parse_qs(read.query) == {"secret": [enrolment.secret], "issuer": [service]}
    assert [unquote(part) for part in read.path.split(":")] == [f"/{service}", "grace"]
