"""What the log keeps of addresses: no link of an e-mail, but what someone has ended by one."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from backoffice.roles import Role
from backoffice.services.accounts import create_account
from backoffice.services.invitations import invitation_url
from config.logging import HIDDEN, redact
from tests.client import Api
from tests.deploy.page_commands import commands


@pytest.mark.django_db
def test_an_invitation_that_a_mail_program_has_marked_is_hidden(client: Client, lines) -> None:
    """A reader of the log could choose the password of a new colleague before the colleague did."""
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


def test_the_page_on_restoring_finds_what_has_come_back(
    client: Client, api: Api, merchant, lines
) -> None:
    """A key that its owner had revoked as stolen was valid again, and no page said so."""
    [search] = commands("backup.md", "What has come back")
    [pattern] = re.findall("--grep '(.+)'", search)
    key = api(merchant).get("/v1/api-keys").json()["api_keys"][0]["id"]
    assert api(merchant).post(f"/v1/api-keys/{key}/revoke").status_code == 200
    paths = ["/admin/merchants/merchant/mer_1/acts/suspend/", "/account/freeze", "/not-me/S3cr3t"]
    for path in paths:
        client.post(path)
    client.post("/v1/payments")

    found = [line["request"] for line in lines() if re.search(pattern, json.dumps(line))]
    assert found[:3] == [f"POST {path}" for path in (f"/v1/api-keys/{key}/revoke", *paths[:2])]
    assert found[3:] == [f"POST /not-me/{HIDDEN}"]
