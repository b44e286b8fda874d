"""What the only Administrator does alone: bring in the first colleagues, and no more."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from backoffice.models import Instruction
from backoffice.roles import Role
from backoffice.staff import roles_of
from core.clock import utc_now
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.colleagues import ask_for_account, at_desk, waiting
from tests.backoffice.conftest import Office

pytestmark = pytest.mark.django_db


def test_the_first_administrator_brings_in_a_second_alone(office: Office) -> None:
    response = ask_for_account(office(Role.ADMINISTRATOR), "colleague", Role.ADMINISTRATOR)

    assert response.status_code == 302
    assert roles_of(User.objects.get(username="colleague")) == {Role.ADMINISTRATOR}
    assert Instruction.objects.get().status == "carried_out"
    # From now on there is someone to ask.
    ask_for_account(office(Role.ADMINISTRATOR), "third")
    assert waiting().subject_id == "third"


@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize(
    ("action", "values"),
    [
        ("add", {"role": Role.FINANCE}),
        ("add", {"role": Role.ADMINISTRATOR}),
        ("roles", {"roles": ["Administrator"]}),
        ("reset", {"email": "friend@example.com"}),
    ],
)
def test_who_alone_manages_staff_makes_no_second_person_alone(
    office: Office, action: str, values: dict[str, Any], *, is_closed: bool
) -> None:
    """A week later a puppet, or the account of a colleague, would approve what the one asks for."""
    office(Role.FINANCE)  # has signed in
    colleague = User.objects.get(username="finance")
    if is_closed:
        act(at_desk(), colleague, "close", reason="Left")
    before = User.objects.values().get(pk=colleague.pk)

    if action == "add":
        ask_for_account(at_desk(), "friend", **values)
    else:
        act(at_desk(), colleague, action, reason="Because", **values)

    assert waiting().kind == "staff"
    assert not User.objects.filter(username="friend").exists()
    assert User.objects.values().get(pk=colleague.pk) == before
    assert roles_of(User(pk=colleague.pk, is_staff=True)) == {Role.FINANCE}


def test_a_first_installation_invites_several_at_once(office: Office) -> None:
    for name in ("ann", "ben"):
        ask_for_account(at_desk(), name)
    act(at_desk(), User.objects.get(username="ann"), "reset", reason="x", email="ann@example.com")

    assert not Instruction.objects.exclude(status="carried_out").exists()


@pytest.mark.parametrize("action", ["roles", "reset", "reopen"])
def test_a_form_tells_if_a_second_administrator_is_needed(office: Office, action: str) -> None:
    ask_for_account(at_desk(), "ann")
    ann = User.objects.get(username="ann")
    User.objects.filter(pk=ann.pk).update(is_active=action != "reopen")
    pages = [at_desk().get(page_of_act(ann, action)).content.decode()]
    User.objects.filter(pk=ann.pk).update(last_login=utc_now())
    pages.append(at_desk().get(page_of_act(ann, action)).content.decode())

    assert ["It takes effect at once" in page for page in pages] == [True, False]
    assert ["Another Administrator must approve this." in page for page in pages] == [False, True]
