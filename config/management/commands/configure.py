"""`manage.py configure FILE`: write the environment of a production service."""

import os
import re
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.environment import BASE_DIR, VARIABLES
from config.secret_values import fresh_secrets

# What only the operator knows: a question and a default answer.
QUESTIONS = {
    "BASE_URL": ("The public address of the service", "https://pay.example.com"),
    "SERVICE_NAME": ("The name on pages and in e-mails", "Payments"),
    "DATABASE_URL": ("PostgreSQL", "postgres://payments:PASSWORD@127.0.0.1/payments"),
    "CELERY_BROKER_URL": ("Redis, for the broker", "redis://127.0.0.1/0"),
    "CACHE_URL": ("Redis, for the counts of rate limits", "redis://127.0.0.1/1"),
    "EMAIL_URL": ("The mail server", "smtp+tls://USER:PASSWORD@mail.example.com:587"),
    "SMS_URL": ("The gateway for text messages", "https://USER:PASSWORD@sms.example.com/send"),
    "DEFAULT_CURRENCY": ("The currency, by its ISO 4217 code", "BSD"),
    "TRUSTED_PROXIES": ("How many proxies are in front of it, one behind the other", "1"),
    "WEB_WORKERS": ("Web processes per instance", "2"),
    "RATE_LIMITS": ("Hold each merchant to 100 requests a minute and 10,000 an hour", "true"),
    "STAFF_TIME_ZONE": ("The time zone of the back office", "America/Nassau"),
    "SUPPORT_EMAIL": ("The address that customers can write to; may be empty", ""),
    "ADMIN_HOST": ("A separate host name for the back office; empty: that of the service", ""),
    "PAYOUT_DEBTOR_ACCOUNT": (
        "The account that payouts are sent from; empty: none are sent yet",
        "",
    ),
    "PAYOUT_DEBTOR_BIC": ("The BIC of its bank", ""),
    "CHECKPOINT_WITNESSES": (
        "The witnesses of each signed head of the log (file:///…, s3://…, https://…); may be empty",
        "",
    ),
}
# Settings that every new service should have.
SAFE = {"DEVELOPMENT_MODE": "false", "BOUND_SECRETS_ONLY": "true"}
# The parts of a default answer that have to be replaced.
BLANK = re.compile(r"\bUSER\b|\bPASSWORD\b|\bexample\.com\b")
UNANSWERED = "No input. Set these variables and run again with --no-input: " + ", ".join(QUESTIONS)


class Command(BaseCommand):
    help = (
        "Write the environment file of a production service: fresh secrets, and the answers to a "
        "few questions. Variables that are already set count as answers: with --no-input nothing "
        "is asked. Never overwrites a file."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="for example /etc/payments/environment")
        parser.add_argument("--no-input", action="store_true", help="use what is set, ask nothing")

    def handle(self, *, file: Path, no_input: bool, **options: Any) -> None:
        if file.exists():
            raise CommandError(_is_there(file))
        if not os.access(file.parent, os.W_OK | os.X_OK):
            raise CommandError(f"{file.parent} is no folder in which a file can be created.")
        answers = {name: self._answer(name, ask=not no_input) for name in QUESTIONS}
        values = answers | fresh_secrets(answers["BASE_URL"]) | SAFE
        _write(file, values)
        self.stdout.write(f"{file} has been written, readable by its owner only.")
        faults = "\n".join([*_blanks(answers), *_faults(values)])
        if faults:
            raise CommandError(f"Before the service can start, correct in {file}:\n{faults}")
        self.stdout.write("The service can start with it. Keep a copy apart from the database.")

    def _answer(self, name: str, *, ask: bool) -> str:
        question, default = QUESTIONS[name]
        given = os.environ.get(name, default)
        if not ask:
            return given
        try:
            return input(f"{question} ({name}) [{given}]: ").strip() or given
        except EOFError:
            raise CommandError(UNANSWERED) from None


def _is_there(file: Path) -> str:
    return f"{file} exists: it holds secrets, and is not overwritten."


def _write(file: Path, values: Mapping[str, str]) -> None:
    """Create the file whole, or not at all: the next attempt would refuse to overwrite a part."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # since the questions were asked
        raise CommandError(_is_there(file)) from None
    try:
        with os.fdopen(descriptor, "w") as stream:
            stream.writelines(f"{name}={value}\n" for name, value in values.items())
    except OSError as error:
        file.unlink()
        raise CommandError(f"{file} was not written: {error.strerror}.") from None


def _blanks(answers: Mapping[str, str]) -> Iterator[str]:
    """Report answers that still contain an example's placeholder."""
    for name, value in answers.items():
        if left := BLANK.search(value):
            yield f"{name} still has {left[0]}, of the example."
            if name == "BASE_URL":
                yield "CHECKPOINT_KEY is named after it: remove the file, and run this again."


def _faults(values: Mapping[str, str]) -> Iterator[str]:
    """Report what `check --deploy` finds wrong with these values, in a process of its own."""
    ours = {*VARIABLES, "DEVELOPMENT_FILE"}
    rest = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(  # our own
        [sys.executable, "manage.py", "check", "--deploy", "--tag", "production"],
        cwd=BASE_DIR,
        env=rest | dict(values) | {"DEVELOPMENT_FILE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        yield done.stderr.strip()
