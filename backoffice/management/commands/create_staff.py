"""`manage.py create_staff`: give someone an account of the back office."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from backoffice.roles import Role
from backoffice.services.accounts import create_from_server, development_account, development_logins
from backoffice.services.staff_mail import invitation_url
from backoffice.services.two_factor import DEVELOPMENT_CODE
from core.clock import utc_now
from core.commands import RefusableCommand


class Command(RefusableCommand):
    help = (
        "Create a back office account. Its owner chooses the password with a link, which is sent "
        "to --email, or printed without it. "
        "With --development: one account per role, which work in development mode only."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", nargs="?", help="lowercase letters, digits, dots, hyphens")
        parser.add_argument(
            "--role",
            choices=[role.value.lower() for role in Role],
            help="viewer, support, finance, developer or administrator",
        )
        parser.add_argument("--email", default="", help="where the invitation goes")
        parser.add_argument(
            "--development", action="store_true", help="one account per role, for development"
        )
        parser.add_argument("--json", action="store_true", help="answer as JSON")

    def handle(self, **options: Any) -> None:
        made = self._development() if options["development"] else [self._one(options)]
        if options["json"]:
            self.stdout.write(json.dumps(made))
            return
        for login in made:
            self.stdout.write("  ".join(login.values()))
        if options["development"]:
            self.stdout.write(f"Code of the second factor, in development only: {DEVELOPMENT_CODE}")

    def _one(self, options: dict[str, Any]) -> dict[str, str]:
        if not options["username"] or not options["role"]:
            raise CommandError("Name a username and a --role, or say --development.")
        role = Role(options["role"].capitalize())
        user = create_from_server(
            username=options["username"], role=role, email=options["email"], now=utc_now()
        )
        way = {"invited": user.email} if user.email else {"link": invitation_url(user)}
        return {"username": user.username, "role": role.value, **way}

    def _development(self) -> list[dict[str, str]]:
        if not settings.DEVELOPMENT_MODE:
            raise CommandError("This is not development mode (DEVELOPMENT_MODE).")
        return [
            {
                "username": development_account(Role(username.capitalize()), password),
                "role": username.capitalize(),
                "password": password,
                "code": DEVELOPMENT_CODE,
            }
            for username, password in development_logins().items()
        ]
