"""Links of e-mails in the log, as mail programs and those who pass them on change them."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from backoffice.roles import Role
from backoffice.services.accounts import create_account
from backoffice.services.invitations import invitation_url
from config.logging import HIDDEN, redact


@pytest.mark.django_db
def test_an_invitation_that_a_mail_program_has_marked_is_hidden(client: Client, lines) -> None:
    """Whoever reads the log chose the password of a new colleague before the colleague did."""
    path = invitation_url(create_account(username="anna", role=Role.FINANCE)).partition("/admin")[2]

    opened = client.get(f"/admin{path}?utm_source=newsletter")
    Client(enforce_csrf_checks=True).post(f"/admin{path}?utm_source=newsletter", {"a": "b"})

    assert opened.headers["Location"].endswith("/set-password/")
    assert not User.objects.get().has_usable_password()
    token = path.strip("/").rpartition("/")[2]
    logged = json.dumps(lines())
    assert logged.count(f"/admin/invitation/{HIDDEN}") >= 2
    assert token not in logged


@pytest.mark.parametrize("link", ["/admin//invitation//", "/not-me//", "/confirm-address//"])
def test_a_link_with_another_slash_is_hidden(link: str) -> None:
    assert redact(f"GET {link}S3cr3t") == f"GET {link}{HIDDEN}"
